import { Anchor, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useAccount } from '../../shell/account';
import { count, duration, exactCredits } from '../../ui/numbers';
import { type Answer, isOpen, speedOf } from './answer';
import classes from './playground.module.css';

/** What an answer took: time, tokens and credits. */
export function Figures({ answer }: { answer: Answer }) {
  const { firstTokenMs, dropped } = answer;
  // A request that was refused has counted nothing.
  const tokens = answer.tokens && answer.tokens.prompt + answer.tokens.completion > 0 ? answer.tokens : undefined;
  const speed = speedOf(answer);
  return (
    <dl className={`${classes.figures} numbers`} data-testid="figures">
      <Figure name="First token">{firstTokenMs === undefined ? '–' : duration(firstTokenMs)}</Figure>
      <Figure name="Speed">{speed === undefined ? '–' : `${speed.toFixed(speed < 100 ? 1 : 0)} tokens/s`}</Figure>
      <Figure name="Tokens">
        {tokens ? `${tokens.estimated ? '≈ ' : ''}${count(tokens.prompt)} in, ${count(tokens.completion)} out` : '–'}
      </Figure>
      <Figure name="Cost">
        <Cost answer={answer} />
      </Figure>
      {dropped !== undefined && (
        <Figure name="Not taken">
          <Tooltip label="The provider could not take these parameters">
            <Text span inherit>
              {dropped}
            </Text>
          </Tooltip>
        </Figure>
      )}
    </dl>
  );
}

function Cost({ answer }: { answer: Answer }) {
  const account = useAccount();
  const { charged, requestId } = answer;
  if (isOpen(answer) || requestId === undefined) return '–';
  const text = charged === undefined ? 'being counted' : charged === null ? 'nothing' : exactCredits(charged);
  return (
    <Tooltip label={charged ? 'Credits. Open the request' : 'Open the request'}>
      <Anchor
        component={Link}
        inherit
        href={`/accounts/${encodeURIComponent(account.id)}/requests?request=${requestId}`}
        data-testid="cost"
      >
        {text}
      </Anchor>
    </Tooltip>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
