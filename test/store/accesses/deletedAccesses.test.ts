/** Deletions of accesses in the store. */
import { describe, expect, it } from 'vitest'
import { putAccess, findDeletedAccess, listAccessDeletions, putAccessDeletion, removeAccess } from '../../../src/store/accesses/accesses.js'
import { putWebhook, listWebhooks } from '../../../src/store/accesses/webhooks.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import type { Access, AccessDeletion } from '../../../src/store/model/access.js'
import { Secret } from '../../../src/store/model/secret.js'
import type { Webhook } from '../../../src/store/model/webhook.js'
import { describeRepository, repositories } from '../repository.js'

const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
const access: Access = { id: 'ca1', type: 'app', name: 'diary', permissions: [], ...tracking }
const deletion: AccessDeletion = { ...access, deleted: 5 }
const token = new Secret('token-of-the-diary')
const deletedAccess = { access: deletion, token }
const later = { access: { ...deletion, deleted: 8 }, token }

describeRepository('deletions of accesses', {
  read: async ({ store: { db, seal }, account }) => {
    const found = findDeletedAccess(db, seal, account.prefix, 'ca1')
    return [found?.access, found?.token.reveal(), (await listAccessDeletions(account, seal)).map((one) => one.access.deleted)]
  },
  absent: [undefined, undefined, []],
  steps: [
    { write: (t, { store }) => putAccessDeletion(t, store.seal, deletedAccess, undefined), expected: [deletion, token.reveal(), [5]] },
    { write: (t, { store }) => putAccessDeletion(t, store.seal, later, deletedAccess), expected: [later.access, token.reveal(), [8]] },
  ],
})

describe('the deletion of an access', () => {
  const all = repositories()

  it('leaves the same keys as the deletion of a missing access, and removes the webhooks of the access', async () => {
    const { seal } = all.store
    const [one, other] = [await all.account(), await all.account()]
    const webhook: Webhook = { id: 'w1', accessId: 'ca1', url: 'https://x.example', state: 'active', maxRetries: 1, minIntervalMs: 1, ...tracking }
    await one.write((t) => {
      putAccess(t, seal, access, token)
      putWebhook(t, seal, webhook, 'create')
    })
    await one.write((t) => removeAccess(t, seal, { access, token }, deletion))
    await other.write((t) => putAccessDeletion(t, seal, deletedAccess, undefined))
    const keysOf = async (prefix: string): Promise<string[]> =>
      [...(await all.keys()).keys()].filter((key) => key.startsWith(`${prefix}/`)).map((key) => key.slice(prefix.length))
    expect(await keysOf(one.prefix)).toEqual(await keysOf(other.prefix))
    expect(await listWebhooks(one, seal)).toEqual([])
  })

  it('is listed latest first, with a sealed token', async () => {
    const { db, seal } = all.store
    const account = await all.account()
    const second = { access: { ...deletion, id: 'ca2', deleted: 7 }, token: new Secret('second') }
    await account.write((t) => [deletedAccess, second].forEach((one) => putAccessDeletion(t, seal, one, undefined)))
    expect((await listAccessDeletions(account, seal)).map((one) => [one.access.id, one.token.reveal()])).toEqual([['ca2', 'second'], ['ca1', token.reveal()]])
    expect(db.get(accountKeys.accessDeletion(account.prefix, 5, 'ca1'))).not.toContain(token.reveal())
  })
})
