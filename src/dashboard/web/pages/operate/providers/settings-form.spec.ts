import { othersProblem } from './settings-form';

it.each([
  ['', null],
  ['{"headers": {}}', null],
  ['[]', 'A JSON object, such as {"headers": {}}'],
  ['{"free": true}', 'free has a field of its own above'],
  ['{"headers": {}', expect.stringMatching(/^This is no JSON: .*line 1 column 15/)],
])('of the further settings %j it says %j', (text, problem) => expect(othersProblem(text)).toEqual(problem));
