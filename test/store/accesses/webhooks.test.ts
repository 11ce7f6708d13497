/** Webhooks in the store. */
import { describe, expect, it } from 'vitest'
import {
  findWebhookWithoutUrl,
  findWebhook,
  listActive,
  listActiveOf,
  listWebhooks,
  putPending,
  putRuns,
  putWebhook,
  readPending,
  readRuns,
  releaseWebhooks,
  removeWebhook,
  removeWebhooksOf,
  textToWebhook,
  webhooksOf,
} from '../../../src/store/accesses/webhooks.js'
import { accountKeys, nodeKeys } from '../../../src/store/engine/keys.js'
import { noRuns, type Webhook } from '../../../src/store/model/webhook.js'
import { describeRepository, repositories, type TestAccount } from '../repository.js'

const webhook: Webhook = {
  id: 'w1',
  accessId: 'ca1',
  url: 'https://secret.example/path',
  state: 'active',
  maxRetries: 5,
  minIntervalMs: 100,
  created: 1,
  createdBy: 'ca1',
  modified: 1,
  modifiedBy: 'ca1',
}
const inactive: Webhook = { ...webhook, state: 'inactive', url: 'https://other.example/' }
const runs = { ...noRuns, runCount: 1, lastRun: { status: 200, timestamp: 5 }, runs: [{ status: 200, timestamp: 5 }] }
const pending = { messages: ['eventsChanged'], due: 9 }

async function read({ store: { db, seal }, account }: TestAccount): Promise<unknown> {
  const { prefix } = account
  return {
    found: findWebhook(db, seal, prefix, 'w1'),
    all: await listWebhooks(account, seal),
    ofAccess: webhooksOf(db, prefix, 'ca1'),
    active: await listActiveOf(account),
    runs: readRuns(db, prefix, 'w1'),
    pending: readPending(db, prefix, 'w1'),
  }
}
const absent = { found: undefined, all: [], ofAccess: [], active: [], runs: noRuns, pending: undefined }
const shown = { found: webhook, all: [webhook], ofAccess: ['w1'], active: ['w1'], runs: noRuns, pending: undefined }
const steps = [
  { write: (t, { store }) => putWebhook(t, store.seal, webhook, 'create'), expected: shown },
  { write: (t) => putRuns(t, 'w1', runs), expected: { ...shown, runs } },
  { write: (t) => putPending(t, 'w1', pending), expected: { ...shown, runs, pending } },
  {
    write: (t, { store }) => putWebhook(t, store.seal, inactive, 'update'),
    expected: { ...shown, found: inactive, all: [inactive], active: [], runs, pending },
  },
] satisfies Parameters<typeof describeRepository>[1]['steps']

describeRepository('webhooks', { read, absent, steps, remove: (t) => removeWebhook(t, webhook) })
describeRepository('webhooks of an access that ends', { read, absent, steps, remove: (t) => removeWebhooksOf(t, 'ca1') })

describe('webhooks of several accesses', () => {
  const all = repositories()

  it('are removed one by one, or all of an access, without effect on other accounts', async () => {
    const { db, seal } = all.store
    const [one, other] = [await all.account(), await all.account()]
    const hooks = [webhook, { ...webhook, id: 'w2' }, { ...webhook, id: 'w3', accessId: 'ca2' }]
    for (const account of [one, other]) await account.write((t) => hooks.forEach((hook) => putWebhook(t, seal, hook, 'create')))
    await one.write((t) => removeWebhook(t, webhook))
    expect([webhooksOf(db, one.prefix, 'ca1'), webhooksOf(db, one.prefix, 'ca2')]).toEqual([['w2'], ['w3']])
    await one.write((t) => removeWebhooksOf(t, 'ca1'))
    expect((await listWebhooks(one, seal)).map(({ id }) => id)).toEqual(['w3'])
    const active: string[] = []
    for await (const { account, id } of listActive(db)) if (account === one.prefix || account === other.prefix) active.push(`${account}/${id}`)
    expect(active.sort()).toEqual([`${one.prefix}/w3`, ...['w1', 'w2', 'w3'].map((id) => `${other.prefix}/${id}`)].sort())
    await other.write((t) => releaseWebhooks(t, ['w1', 'w2', 'w3']))
    expect(await listActiveOf(other)).toEqual([])
  })

  it('write nothing for a missing webhook, and store no empty list of pending messages', async () => {
    const { db } = all.store
    const account = await all.account()
    const before = await all.keys()
    await account.write((t) => {
      putRuns(t, 'gone', runs)
      putPending(t, 'gone', pending)
    })
    expect(await all.keys()).toEqual(before)
    await account.write((t) => putWebhook(t, all.store.seal, webhook, 'create'))
    for (const next of [pending, { messages: [], due: 0 }]) await account.write((t) => putPending(t, 'w1', next))
    expect(db.get(accountKeys.webhookPending(account.prefix, 'w1'))).toBeUndefined()
  })

  it('are inactive once their calls are stopped, and store their URLs sealed', async () => {
    const { db, seal } = all.store
    const account = await all.account()
    await account.write((t) => putWebhook(t, seal, webhook, 'create', { ...runs, isStopped: true }))
    expect(db.get(nodeKeys.activeWebhook(account.prefix, 'w1'))).toBeUndefined()
    const text = db.get(accountKeys.webhook(account.prefix, 'w1')) ?? ''
    expect(text).not.toContain('secret.example')
    expect(findWebhookWithoutUrl(db, account.prefix, 'w1')).not.toHaveProperty('url')
    expect(() => textToWebhook(seal, 'other', text)).toThrow()
    expect(textToWebhook(seal, 'other', JSON.stringify(webhook))).toEqual(webhook)
  })
})
