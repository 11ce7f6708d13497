/** Operator routes refuse random parameters with the correct key, never with status 500. */
import { expect, it } from 'vitest'
import { methods } from '../../../../src/server/api/methods.js'
import { mutate, oddValue, textOf } from '../../../fuzz/oddJson.js'
import { seeded } from '../../../store/leveldb/fixtures.js'
import { registerUser, request } from '../../../support/nodes/node.js'
import { KEY, withNode } from './support.js'

const SEED = Number(process.env['SEED'] ?? 20261122)
const node = withNode()

const SAMPLES: Record<string, unknown> = {
  'system.createUser': { username: 'made-odd', password: 'correct horse', email: 'odd@example.org', appId: 'test-app', language: 'en' },
  'system.validateUser': { username: 'odd-name', invitationToken: 'x', uniqueFields: { email: 'odd@example.org' }, core: 'single' },
  'system.updateUser': { username: 'target', user: { email: 'new@example.org', language: 'fr' }, fieldsToDelete: { email: 'x' } },
  'system.forceRenewCert': { hostname: 'example.org' },
}
const operatorMethods = methods.filter((method) => method.scope === 'platform' && method.caller.refusal === 'unknown-resource' && method.id.startsWith('system.'))

it.each(operatorMethods.map((method, n) => [method.id, method, n] as const))(`malformed parameters of %s cause no error 500 (seed ${SEED})`, async (_, method, n) => {
  const next = seeded(SEED + n)
  await registerUser(node(), `target-${n}`)
  const { verb, path } = method.http
  for (let attempt = 0; attempt < 40; attempt++) {
    const filled = path.replace(/:\w+/g, () => encodeURIComponent(String(JSON.stringify(oddValue(next)))).slice(0, 500))
    const query = next(2) === 0 ? '' : `?onlyReg=${next(3)}&dryRun=${encodeURIComponent(JSON.stringify(oddValue(next)) ?? '').slice(0, 500)}`
    const body = mutate(structuredClone(SAMPLES[method.id] ?? {}), next)
    const sends = verb === 'POST' || verb === 'PUT'
    const answer = await request(node().url + filled.slice(1) + query, { method: verb, token: KEY, ...(sends ? { body: textOf(body) } : {}) })
    expect({ filled, query, sent: body, ...answer }).not.toMatchObject({ status: 500 })
  }
  expect(node().logged.filter((line) => line.includes('"level":"error"'))).toEqual([])
})
