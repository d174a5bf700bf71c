import { chargeOfError, NO_PROTOCOL, recordingCharges } from './recording-charge.js';
import { allRecordings, describeRecorded, isOfFirst } from './recordings.js';

/** Formats that `describeRecordings` is called with in the specs of providers, which check their charges. */
const spoken = new Set(['anthropic', 'bedrock-converse', 'cohere-v2', 'gemini', 'ollama', 'openai-chat', 'openai-completions']);
const recordings = allRecordings().filter(isOfFirst);

describeRecorded(recordings, 'the charges of recordings', () => {
  it('are there for each recording, and for nothing else', () => {
    expect(Object.keys(recordingCharges)).toEqual(recordings.map(({ id }) => id).toSorted());
  });

  it('are nothing for an error, and only for an error or a blocked prompt', () => {
    for (const { id, expect: told } of recordings) {
      const nothing = recordingCharges[id]!.startsWith('nothing: ');
      if (told.error) expect([id, recordingCharges[id]]).toEqual([id, chargeOfError(told.error.upstream_status)]);
      else if (nothing) expect([id, told.choices?.map(({ finish }) => finish)]).toEqual([id, [['content_filter']]]);
    }
  });

  it('are left open only where the gateway does not speak the format', () => {
    for (const { id, wire, expect: told } of recordings) {
      const open = recordingCharges[id] === NO_PROTOCOL;
      expect([id, open]).toEqual([id, !told.error && !spoken.has(wire)]);
    }
  });
});
