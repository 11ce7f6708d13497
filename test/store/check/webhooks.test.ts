/** Problems with webhooks that a check of a store reports. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Value } from '../../../src/store/engine/database.js'
import { accountKeys as keys, nodeKeys } from '../../../src/store/engine/keys.js'
import { openStore, type OpenedStore } from '../../../src/store/engine/open.js'
import { readNodeKey } from '../../../src/store/keyring/nodeKey.js'
import { createSeal, type Seal } from '../../../src/store/keyring/seal.js'
import { grantAccess } from '../../support/people/access.js'
import { checkOpened } from '../../support/store/check.js'
import { homes } from '../../support/nodes/home.js'
import { startTestNode } from '../../support/nodes/node.js'
import { callThrough, newStage, type Stage } from '../../support/http/methodTable.js'
import { until } from '../../server/webhooks/support.js'

const { home } = homes()
const A = '1'
let opened: OpenedStore
let seal: Seal
let id: string
let accessId: string

interface ListedWebhook {
  id: string
  accessId: string
  runCount: number
}

async function webhookIn(stage: Stage): Promise<ListedWebhook> {
  const { webhooks } = await stage.arrange('webhooks.get', {})
  const [webhook] = webhooks as ListedWebhook[]
  if (webhook === undefined) throw new Error('no webhook')
  return webhook
}

beforeAll(async () => {
  const places = await home()
  const node = await startTestNode({}, { home: places.home })
  const stage = await newStage(node)
  const { token } = await grantAccess(node, stage.username, [])
  // No server listens there, so the message stays pending.
  await callThrough('http', stage, token, 'webhooks.create', { url: 'http://127.0.0.1:1/' })
  await stage.arrange('streams.create', { name: 'x' })
  const seen = await until(() => webhookIn(stage), ({ runCount }) => runCount > 0)
  id = seen.id
  accessId = seen.accessId
  await node.stop()
  const key = await readNodeKey(places.key)
  if (key === undefined) throw new Error('no key')
  seal = await createSeal(key)
  opened = await openStore({ folder: places.store, now: () => 0 })
})
afterAll(() => opened.close())

async function problemsWith(changes: Record<string, Value | null>): Promise<string[]> {
  const write = async (values: [string, Value | null][]): Promise<void> => {
    const batch = opened.db.batch()
    for (const [key, value] of values) {
      if (value === null) batch.delete(key)
      else batch.put(key, value)
    }
    await batch.write({ sync: false })
  }
  const former = Object.keys(changes).map((key): [string, Value | null] => [key, opened.db.get(key) ?? null])
  await write(Object.entries(changes))
  const { problems } = await checkOpened(opened, seal)
  await write(former)
  return problems.map(({ what }) => what)
}

it('reports no problem in a sound store', async () => {
  const { problems, checked } = await checkOpened(opened, seal)
  expect(problems).toEqual([])
  expect(checked).toMatchObject({ webhooks: 1, 'accesses with webhooks': 1, 'runs of webhooks': 1, 'messages due': 1, 'active webhooks': 1 })
})

it.each<[what: string, changes: () => Record<string, Value | null>]>([
  ['has a record that cannot be read', () => ({ [keys.webhook(A, id)]: '{' })],
  ['has an address that this node key cannot decrypt', () => ({ [keys.webhook(A, id)]: (opened.db.get(keys.webhook(A, id)) ?? '').replace(/"sealedUrl":"[^"]{8}/, '"sealedUrl":"AAAAAAAA') })],
  ['has runs but does not exist', () => ({ [keys.webhook(A, id)]: null })],
  ['has messages but does not exist', () => ({ [keys.webhook(A, id)]: null })],
  ['is listed as active but does not exist', () => ({ [keys.webhook(A, id)]: null })],
  ['lists a webhook of another access', () => ({ [keys.webhook(A, id)]: null })],
  ['lacks the state of its runs', () => ({ [keys.webhookRuns(A, id)]: null })],
  ['has runs that cannot be read', () => ({ [keys.webhookRuns(A, id)]: '[]' })],
  ['has messages that cannot be read', () => ({ [keys.webhookPending(A, id)]: '{"due":1}' })],
  ['is not in the list of its access', () => ({ [keys.webhooksOf(A, accessId)]: null })],
  ['has a list of webhooks that cannot be read', () => ({ [keys.webhooksOf(A, accessId)]: '}' })],
  ['lacks its entry in the list of active webhooks', () => ({ [nodeKeys.activeWebhook(A, id)]: null })],
  ['is listed as active but is inactive', () => ({ [keys.webhookRuns(A, id)]: '{"isStopped":true,"runs":[]}' })],
  ['belongs to a missing access', () => ({ [keys.webhook(A, id)]: `{"id":"${id}","accessId":"gone","url":"x","state":"active"}` })],
  ['is listed as active but does not exist', () => ({ [nodeKeys.activeWebhook('9', 'x')]: '' })],
])('reports one that %s', async (what, changes) => {
  expect(await problemsWith(changes())).toContain(what)
})
