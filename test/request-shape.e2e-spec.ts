import request from 'supertest';
import { OpenRequests } from '../src/http/server/open-requests.js';
import { Administration } from './support/administration.js';
import { Gateway } from './support/gateway.js';
import { useGateway } from './support/started.js';
import { until } from './support/until.js';

describe('The objects of requests', () => {
  const gateway = useGateway(() => Gateway.start());

  it('have the same properties in the same order, whatever is asked', async () => {
    const shapes: string[] = [];
    gateway.running.app.get(OpenRequests).onEnd(({ request: ended }) => shapes.push(Object.keys(ended).join()));
    const chat = (content: string) => ({ model: 'sandbox-omni', max_tokens: 2, messages: [{ role: 'user', content }] });
    const plain = request(gateway.url);

    await gateway.post('chat/completions', chat('hello')).expect(200);
    await gateway.post('chat/completions', chat('hello '.repeat(5_000))).expect(200);
    await (await gateway.stream('chat/completions', chat('hello'))).text();
    await gateway.post('chat/completions', { model: 'nobody', messages: [] }).expect(400);
    await gateway.get('models').expect(200);
    await gateway.get('nothing').expect(404);
    await gateway.get('models', 'unknown').expect(401);
    await plain.get('/health/live').expect(200);
    await plain.get('/admin/v1/accounts').expect(401);
    await plain.post('/admin/v1/session').send({ email: 'nobody@example.com', password: 'wrong' }).expect(401);
    const operator = await Administration.as(gateway.running, 'operator');
    await operator.post('accounts', { name: 'One more' }).expect(200);
    const playground = `accounts/${gateway.customer.accountId}/playground/chat/completions`;
    const developer = await Administration.as(gateway.running, 'developer', gateway.customer.accountId);
    await developer.post(playground, chat('hello')).expect(200);

    await until(() => shapes.length === 12, 'the end of all requests');
    expect(new Set(shapes)).toEqual(new Set([shapes[0]]));
  });
});
