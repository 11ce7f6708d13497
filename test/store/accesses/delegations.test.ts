/** Records of delegations in the store: delegates and controlled accounts. */
import { describe, expect, it } from 'vitest'
import { controlledAccounts, delegates, endpointContext, isNamed } from '../../../src/store/accesses/delegations.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import type { Controlled, Delegate } from '../../../src/store/model/delegation.js'
import { describeRepository, repositories } from '../repository.js'

const person = { username: 'ben', hostSlug: 'ben-example' }
const delegate: Delegate = { relId: 'r1', delegate: person, status: 'invite', requestedAt: 2, expiresAt: 9 }
const active: Delegate = { relId: 'r1', delegate: person, status: 'active', requestedAt: 2, activatedAt: 3, notifyApiEndpoint: 'https://notify-token@ben.example/' }
const controlled: Controlled = { relId: 'r1', controlled: person, status: 'invite', requestedAt: 2, capabilityUrl: 'https://capability-token@ben.example/' }
const stale: Controlled = { relId: 'r1', controlled: person, status: 'stale', requestedAt: 2, controlApiEndpoint: 'https://control-token@ben.example/' }

describeRepository('delegates', {
  read: async ({ store: { db, seal }, account }) => [delegates.find(db, seal, account.prefix, 'r1'), await delegates.list(account, seal)],
  absent: [undefined, []],
  steps: [
    { write: (t, { store }) => delegates.put(t, store.seal, delegate), expected: [delegate, [delegate]] },
    { write: (t, { store }) => delegates.put(t, store.seal, active), expected: [active, [active]] },
  ],
  remove: (t) => delegates.remove(t, 'r1'),
})

describeRepository('controlled accounts', {
  read: async ({ store: { db, seal }, account }) => [controlledAccounts.find(db, seal, account.prefix, 'r1'), await controlledAccounts.list(account, seal)],
  absent: [undefined, []],
  steps: [
    { write: (t, { store }) => controlledAccounts.put(t, store.seal, controlled), expected: [controlled, [controlled]] },
    { write: (t, { store }) => controlledAccounts.put(t, store.seal, stale), expected: [stale, [stale]] },
  ],
  remove: (t) => controlledAccounts.remove(t, 'r1'),
})

describe('delegations of one account', () => {
  const all = repositories()

  it('separate delegates from controlled accounts, list the oldest first and seal endpoints for account, relationship and member', async () => {
    const { db, seal } = all.store
    const account = await all.account()
    await account.write((t) => {
      delegates.put(t, seal, active)
      delegates.put(t, seal, { ...delegate, relId: 'r2', requestedAt: 1 })
      controlledAccounts.put(t, seal, stale)
      controlledAccounts.put(t, seal, { ...controlled, relId: 'r3' })
    })
    expect((await delegates.list(account, seal)).map(({ relId }) => relId)).toEqual(['r2', 'r1'])
    expect((await controlledAccounts.list(account, seal)).map(({ relId }) => relId)).toEqual(['r1', 'r3'])
    await account.write((t) => delegates.remove(t, 'r1'))
    expect(controlledAccounts.find(db, seal, account.prefix, 'r1')).toEqual(stale)
    const texts = [...(await all.keys()).values()].map((value) => Buffer.from(value, 'hex').toString())
    expect(texts.join('\n')).not.toMatch(/-token/)
    const { controlApiEndpoint = '' } = JSON.parse(db.get(accountKeys.controlled(account.prefix, 'r1')) ?? '') as Controlled
    expect(seal.open(controlApiEndpoint, endpointContext(account.prefix, 'r1', 'controlApiEndpoint'))).toBe(stale.controlApiEndpoint)
    expect(() => seal.open(controlApiEndpoint, endpointContext(account.prefix, 'r1', 'capabilityUrl'))).toThrow()
    expect(() => seal.open(controlApiEndpoint, endpointContext('other', 'r1', 'controlApiEndpoint'))).toThrow()
  })

  it('compare user names without regard to case', () => {
    expect([isNamed('Ben', 'ben'), isNamed('ben', 'bea')]).toEqual([true, false])
  })
})
