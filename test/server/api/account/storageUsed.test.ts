/** All views of an account show the same storage usage (docs/interface/account-streams.md#events). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coffer } from '../../../cli/support/testTerminal.js'
import { loadedOf } from '../../../../src/server/control/methods/loaded.js'
import { refreshStorageUsed } from '../../../../src/server/api/shared/noteStorageUsed.js'
import { storageUsedOf } from '../../../../src/server/dispatch/quota.js'
import { accountKeys } from '../../../../src/store/engine/keys.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
  await coffer(`users create ana-lovelace --email a@example.org --password-stdin --home ${node.places.home}`, { stdin: 'correct horse' })
  await json('streams create Diary --id diary')
})
afterAll(() => node.stop())

async function json(line: string): Promise<Record<string, unknown>> {
  const { code, out, err } = await coffer(`${line} --json --home ${node.places.home}`)
  if (code !== 0) throw new Error(err)
  return JSON.parse(out) as Record<string, unknown>
}

type Member = Record<string, unknown>
const sizeOf = (holder: unknown): unknown => ((holder as Member)['storageUsed'] as Member)['dbDocuments']
const contentOf = (events: unknown): unknown => (events as Member[]).find(({ id }) => id === ':_system:dbDocuments')?.['content']

/** Views of the size of records, by name. */
const views: Record<string, () => Promise<unknown>> = {
  'account.get': async () => sizeOf((await json('api account.get'))['account']),
  'events.getOne': async () => ((await json('events show :_system:dbDocuments'))['event'] as Member)['content'],
  'events.get of the account': async () => contentOf((await json('events list --stream :_system:account'))['events']),
  'events.get of the stream': async () => contentOf((await json('events list --stream :_system:dbDocuments'))['events']),
  'events list --all': async () => contentOf((await json('events list --all'))['events']),
  'users usage': async () => sizeOf((await json('users usage'))['usage']),
  'users show': async () => sizeOf((await json('users show'))['user']),
  'users list': async () => sizeOf(((await json('users list'))['users'] as unknown[])[0]),
  'system.userInfo': async () => sizeOf((await json(`api system.userInfo {"username":"ana-lovelace"}`))['userInfo']),
}

describe.each(Object.keys(views))('after a write, first read by %s', (first) => {
  it.each([300, 20_000])('of %i characters', async (length) => {
    const before = (await views['account.get']?.()) as number
    await json(`events create --stream diary --type note/txt --content ${'x'.repeat(length)}`)
    const size = await views[first]?.()
    expect(size).toBeGreaterThanOrEqual(before + length)
    const sizes: Record<string, unknown> = {}
    for (const [name, read] of Object.entries(views)) sizes[name] = await read()
    expect(sizes).toEqual(Object.fromEntries(Object.keys(views).map((name) => [name, size])))
  })
})

it('does not change while audit records are written and events are not', async () => {
  await json('events create --stream diary --type note/txt --content x')
  const { account } = await loadedOf(node.node, { username: 'ana-lovelace' })
  const { dbDocuments } = await refreshStorageUsed(node.node, account)
  const { store } = node.node
  store.note(account, (t) => t.put(accountKeys.audit(account.prefix, 'access', 1, 'item'), 'x'.repeat(20_000)))
  await store.settled()
  expect(await storageUsedOf(account)).toMatchObject({ dbDocuments })
})
