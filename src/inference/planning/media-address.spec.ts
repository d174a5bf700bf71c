import { mediaAddressProblem } from './media-address.js';
import { listedModels } from '../../providers/contract/listed-models.js';

describe('mediaAddressProblem', () => {
  it.each([
    'https://example.com/a.png',
    'HTTP://EXAMPLE.COM:8080/a.png?x=1#y',
    'https://8.8.8.8/a.png',
    'https://[2001:4860:4860::8888]/a.png',
    'data:image/png;base64,AAAA',
    'https://example.com',
  ])('lets %s through', (address) => expect(mediaAddressProblem(address, false)).toBeUndefined());

  it.each([
    ['file:///etc/passwd', 'no_web_address'],
    ['/etc/passwd', 'no_web_address'],
    ['ftp://example.com/a.png', 'no_web_address'],
    ['gs://bucket/a.png', 'no_web_address'],
    [' https://example.com/a.png', 'no_web_address'],
    ['https://example.com\\@127.0.0.1/', 'no_web_address'],
    ['https://example.com@127.0.0.1/', 'no_web_address'],
    ['https:example.com', 'no_web_address'],
    ['http://169.254.169.254/latest/meta-data', 'internal'],
    ['http://[::ffff:169.254.169.254]/', 'internal'],
    ['http://[64:ff9b::a9fe:a9fe]/', 'internal'],
    ['http://127.0.0.1:8080/metrics', 'internal'],
    ['http://2130706433/', 'internal'],
    ['http://0x7f.1/', 'internal'],
    ['http://0/', 'internal'],
    ['http://[::1]/', 'internal'],
    ['http://10.0.0.7/a.png', 'internal'],
    ['http://192.168.1.1/', 'internal'],
    ['http://100.64.0.1/', 'internal'],
    ['http://[fd00::1]/', 'internal'],
    ['http://localhost/', 'internal'],
    ['http://localhost./', 'internal'],
    ['http://metadata.google.internal/', 'internal'],
    ['http://printer.local/', 'internal'],
    ['http://vault/', 'internal'],
    ['http://vault.secrets.svc.cluster.local/', 'internal'],
  ])('refuses %s: %s', (address, problem) => expect(mediaAddressProblem(address, false)).toBe(problem));

  it.each(['https://api.example.com/v1/files/abc', 'https://API.example.com./v1/files/abc', 'https://eu.api.example.com/v1/files/abc'])(
    'refuses what is at the provider itself: %s',
    (address) => {
      expect(mediaAddressProblem(address, false, 'api.example.com')).toBe('account');
      expect(mediaAddressProblem(address, false, 'another.example.com')).toBeUndefined();
    },
  );

  it('lets addresses inside of a network through where they may be named', () => {
    expect(mediaAddressProblem('http://10.0.0.7/a.png', true)).toBeUndefined();
  });
});

describe('listedModels', () => {
  it('passes a list of models on as it is', () => {
    const models = [{ id: 'm' }];
    expect(listedModels(models)).toBe(models);
    expect(listedModels([])).toEqual([]);
  });

  it.each([undefined, null, {}, 'models', 7])('refuses what is no list: %p', (answer) => {
    expect(() => listedModels(answer)).toThrow('models() gave no list');
  });

  it.each([null, 'm', {}, { id: 7 }])('refuses a list that has what is no model: %p', (model) => {
    expect(() => listedModels([{ id: 'm' }, model])).toThrow('without an id, in place 1');
  });
});
