/**
 * The contract of all transports: a call has the same result or failure over HTTP, in an urlencoded form, in a batch and over a
 * websocket (docs/interface/conventions.md). Tests of forms, batches and websockets cover what only one of them has.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Method } from '../../../src/server/call/method.js'
import { methods } from '../../../src/server/api/methods.js'
import { SETUP, samplesOf } from '../../fuzz/samples.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { callThrough, newStage, type Transport, type Stage } from '../../support/http/methodTable.js'
import { seeded } from '../../store/leveldb/fixtures.js'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

/** Methods that all transports serve. Others need other credentials, files, or no account. */
const common = methods.filter(({ scope, notInBatch }) => scope !== 'platform' && notInBatch !== true)
const isRead = ({ http }: Method): boolean => http.verb === 'GET'
/** Returns the transports of a method. A GET has no body, so a form would be the same request. */
const transportsOf = (method: Method): Transport[] => (isRead(method) ? ['http', 'batch', 'socket'] : ['http', 'form', 'batch', 'socket'])

async function sampleStage(): Promise<Stage> {
  const stage = await newStage(node)
  const { results } = await stage.arrange('callBatch', SETUP.map(([method, params]) => ({ method, params })))
  expect(JSON.stringify(results)).not.toContain('"error"')
  return stage
}

/** Returns an answer without the values that depend on account and time. */
function comparable({ body }: { body: Record<string, unknown> }, { username }: Stage): unknown {
  const { meta: _, ...rest } = body
  const text = JSON.stringify(rest, (key, value: unknown) => (GENERATED.test(key) ? `(${key})` : value))
  return JSON.parse(text.replaceAll(username, '(name)').replace(/\b[a-z][a-z0-9]{23,24}\b/g, '(id)')) as unknown
}
const GENERATED = /^(id|created|modified|time|expires|lastUsed|token|integrity|apiEndpoint|alias|calls|dbDocuments)$/

async function answerOf(transport: Transport, method: Method, params: unknown, stage: Stage): Promise<unknown> {
  const own = JSON.parse(JSON.stringify(params).replaceAll('x@example.org', `other-${stage.username}@example.org`)) as unknown
  return comparable(await callThrough(transport, stage, stage.owner, method.id, own), stage)
}

const INVALID = { odd: [null, '\0\u001aü\u2028"\\&=+%💥', 1e21, -1e-7] }

/** Returns variants of a sample: each member of its body replaced by an invalid value, an unknown member, and bodies of other types. */
function invalidVariants({ http }: Method, sample: Record<string, unknown>): unknown[] {
  const { body: part } = http
  const body = part === undefined ? sample : (sample[part] as Record<string, unknown>)
  const names = Object.keys(body).filter((name) => !http.path.includes(`:${name}`))
  const invalid = [...names, 'unknownMember'].map((name): unknown => ({ ...body, [name]: INVALID }))
  return part === undefined ? invalid : [...invalid, null, 5, []].map((value) => ({ ...sample, [part]: value }))
}

/** Returns the sample with text for each parameter of the path. */
function withPath({ http }: Method, sample: unknown): Record<string, unknown> {
  const params = { ...(sample as Record<string, unknown>) }
  for (const [, name = ''] of http.path.matchAll(/:(\w+)/g)) if (typeof params[name] !== 'string') params[name] = 'a'
  return params
}

describe.each(common.map((method) => [`${method.id} ${method.http.verb} ${method.http.path}`, method] as const))('%s', (_, method) => {
  const samples = samplesOf(method, seeded(1)).map((sample) => withPath(method, sample))

  it('has the same result over all transports', async () => {
    for (const params of samples) {
      const answers: unknown[] = []
      const shared = isRead(method) ? await sampleStage() : undefined
      for (const transport of transportsOf(method)) answers.push(await answerOf(transport, method, params, shared ?? (await sampleStage())))
      for (const answer of answers) expect(answer).toEqual(answers[0])
    }
  })

  // Without a body, HTTP sends all parameters as text.
  if (!['POST', 'PUT'].includes(method.http.verb)) return
  it('has the same failures over all transports', async () => {
    const [sample = {}] = samples
    const answers = await Promise.all(
      transportsOf(method).map(async (transport) => {
        const stage = await sampleStage()
        const ofTransport: unknown[] = []
        for (const invalid of invalidVariants(method, sample)) ofTransport.push(await answerOf(transport, method, invalid, stage))
        return ofTransport
      }),
    )
    for (const answer of answers) expect(answer).toEqual(answers[0])
  })
})
