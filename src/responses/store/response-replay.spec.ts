import { countTurns } from '../../common/testing/count-turns.js';
import { replayedEvent } from './response-replay.js';

describe('an event that is replayed', () => {
  it('is made with other turns of the event loop between its megabytes', async () => {
    const delta = '€"\n'.repeat(1_000_000);
    const turns = countTurns();
    const event = await replayedEvent({ type: 'response.output_text.delta', delta }, 4);
    expect(turns()).toBeGreaterThanOrEqual(5);
    const [name, json] = Buffer.from(event, 'latin1').toString().split('\ndata: ');
    expect(name).toBe('response.output_text.delta');
    expect(JSON.parse(json!)).toEqual({ type: name, delta, sequence_number: 4 });
  });
});
