/** Groups of accesses for people, and the purpose of those that the node created. */
import { describe, expect, it } from 'vitest'
import { groupAccesses, purposeOf } from '../../../../src/cli/commands/accesses/groups.js'

const ben = { username: 'ben-turing', hostSlug: 'example-org' }
const delegated = (kind: string, more = {}): Record<string, unknown> => ({ clientData: { delegation: { kind, relId: 'r1', ...more } } })
const peer = (more = {}): Record<string, unknown> => ({ clientData: { cmc: { role: 'counterparty', counterparty: { username: 'ben-turing', host: 'example.org' }, ...more } } })
const link = { clientData: { cmc: { kind: 'capability', capabilityId: 'c1', singleUse: true, capability: { mode: 'single-use', state: 'open', stateChangedAt: 1 } } } }

describe('accesses', () => {
  it.each([
    ['without data', {}, 'granted'],
    ['with data of an app', { clientData: { color: 'red' } }, 'granted'],
    ['granted by a delegate', delegated('delegated-child', { delegate: ben, viaAccessId: 'a1' }), 'granted'],
    ['for an invitation', delegated('invite-capability'), 'delegations'],
    ['for requests of tokens', delegated('control', { delegate: ben }), 'delegations'],
    ['for the end of a delegation', delegated('notify'), 'delegations'],
    ['of a delegate', delegated('delegate-pat', { delegate: ben }), 'delegations'],
    ['of a link', link, 'consents'],
    ['of a consent', peer({ acceptEventId: 'e1' }), 'consents'],
    ['without a named account', { clientData: { cmc: { role: 'counterparty' } } }, 'consents'],
  ])('%s are in a group', (_, access, expected) => {
    const { granted, groups } = groupAccesses([access])
    const found = granted.length === 1 ? 'granted' : /delegations|consents/.exec(groups[0]?.heading ?? '')?.[0]
    expect([found, groups.length]).toEqual([expected, expected === 'granted' ? 0 : 1])
  })

  it('keep their order, in groups without empty ones', () => {
    const all = [{ id: 'a' }, { id: 'b', ...link }, { id: 'c' }]
    const { granted, groups } = groupAccesses(all)
    expect(granted.map(({ id }) => id)).toEqual(['a', 'c'])
    expect(groups.map(({ accesses }) => accesses.map(({ id }) => id))).toEqual([['b']])
  })

  it.each([
    [delegated('invite-capability'), 'invitation of a delegate'],
    [delegated('control', { delegate: ben }), 'lets ben-turing request tokens'],
    [delegated('notify'), 'receives the end of a delegation'],
    [delegated('delegate-pat', { delegate: ben }), 'token of the delegate ben-turing'],
    [link, 'link to a request, open'],
    [peer({ acceptEventId: 'e1' }), 'consent given to ben-turing at example.org'],
    [peer(), 'messages from ben-turing at example.org'],
    [{ clientData: { cmc: { role: 'counterparty' } } }, 'consent'],
  ])('%j: %s', (access, expected) => expect(purposeOf(access)).toBe(expected))
})
