import { locationAddress } from './location-address.js';
import { GLOBAL_ADDRESS } from './vertex.type.js';

describe('locationAddress', () => {
  it.each([
    ['global', 'https://aiplatform.googleapis.com/v1'],
    ['europe-west1', 'https://europe-west1-aiplatform.googleapis.com/v1'],
    ['us', 'https://aiplatform.us.rep.googleapis.com/v1'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com/v1'],
  ])('of %s is %s', (location, address) => {
    expect(locationAddress(GLOBAL_ADDRESS, location, 'v1')).toBe(address);
  });

  it('is the entry’s own where it has one, with its version', () => {
    expect(locationAddress('https://vertex.example', 'eu', 'v1')).toBe('https://vertex.example/v1');
    expect(locationAddress('https://vertex.example/v7?a=b', 'eu', 'v1')).toBe('https://vertex.example/v7?a=b');
  });
});
