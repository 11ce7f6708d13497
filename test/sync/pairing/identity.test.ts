import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initialise } from '../../../src/server/launch/init.js'
import { checkIdentity, checkPeer } from '../../../src/store/check/replication.js'
import { createFindings, type Findings } from '../../../src/store/check/findings.js'
import type { CheckContext } from '../../../src/store/check/crossReference.js'
import { accountKeys, nodeKeys } from '../../../src/store/engine/keys.js'
import { isSignedBy, nodeBytes } from '../../../src/sync/channel/signer.js'
import { parseFingerprint } from '../../../src/sync/pairing/fingerprint.js'
import { IdentityUnusable, makeIdentity, readIdentity } from '../../../src/sync/pairing/identity.js'
import { addPeer, listPeers, peerOfPairing, putPeer, readPeer, removePeer, type Peer } from '../../../src/store/replication/peers.js'
import { expectSound } from '../../support/store/check.js'
import { makeAccount, placesOf, startTestNode, type TestNode } from '../../support/nodes/node.js'

let home: string
let node: TestNode
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'coffer-identity-'))
  await initialise(placesOf(home))
  node = await startTestNode({}, { home })
})
afterAll(async () => {
  await rm(home, { recursive: true, force: true })
})

const bytes = Buffer.from('a message')

describe('the identity of a node', () => {
  it('is created once, stored sealed, and read again after a start', async () => {
    const { store } = node.node
    expect(await readIdentity(store)).toBeUndefined()
    const [one, other] = await Promise.all([makeIdentity(store), makeIdentity(store)])
    expect(other.node).toBe(one.node)
    expect(parseFingerprint(one.fingerprint)).toBe(one.fingerprint)
    await node.stop()
    await expectSound(node.places)
    node = await startTestNode({}, { home })
    const again = await readIdentity(node.node.store)
    expect([again?.node, again?.fingerprint]).toEqual([one.node, one.fingerprint])
    const key = nodeBytes(one.node) ?? new Uint8Array(0)
    expect(isSignedBy(key, bytes, again?.sign(bytes) ?? bytes)).toBe(true)
    expect(isSignedBy(key, Buffer.from('another'), one.sign(bytes))).toBe(false)
    expect(isSignedBy(key, bytes, bytes)).toBe(false)
    expect(inspect(one, { depth: 9 }) + JSON.stringify(one)).not.toMatch(/seed|secret/)
  })

  it('is refused when altered', async () => {
    const { store } = node.node
    const text = store.db.get(nodeKeys.identity) ?? ''
    const kept = JSON.parse(text) as { node: string; seed: string }
    const put = (value: string): Promise<void> =>
      store.platform.write((t) => {
        t.put(nodeKeys.identity, value)
        t.sync()
      })
    const seedOfOther = store.seal.seal('B'.repeat(43), nodeKeys.identity)
    const moved = store.seal.seal(store.seal.open(kept.seed, nodeKeys.identity), 'elsewhere')
    for (const spoiled of ['{', JSON.stringify({ ...kept, seed: moved }), JSON.stringify({ ...kept, seed: seedOfOther })]) {
      await put(spoiled)
      await expect(makeIdentity(store)).rejects.toThrow(IdentityUnusable)
    }
    await put(text)
  })

  it('has one valid spelling of its name', () => {
    expect(nodeBytes('A'.repeat(43))).toHaveLength(32)
    for (const name of ['', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}B`, `${'A'.repeat(42)}=`]) {
      expect(nodeBytes(name)).toBeUndefined()
    }
  })
})

const peer: Omit<Peer, 'number'> = {
  ...{ name: 'laptop', pairing: 'p'.repeat(22), node: 'A'.repeat(43), scope: { is: 'mirror' }, paired: 5 },
}

describe('records of peers', () => {
  it('are numbered in order, have unique names, and are found by pairing', async () => {
    await makeAccount(node, 'anna1')
    const account = (await node.node.accounts.find('anna1'))?.account
    if (account === undefined) throw new Error('no account')
    const { db, prefix } = account
    const made = await Promise.all([1, 2, 3].map((n) => addPeer(account, { ...peer, pairing: `${n}`.repeat(22) })))
    expect(made.map(({ number, name }) => [number, name])).toEqual([[1, 'laptop'], [2, 'laptop (2)'], [3, 'laptop (3)']])
    await account.write((t) => removePeer(t, 3))
    const fourth = await addPeer(account, { ...peer, name: 'phone' })
    expect(fourth.number).toBe(4)
    await account.write((t) => putPeer(t, { ...fourth, paused: true }))
    expect(readPeer(db, prefix, 4)).toEqual({ ...fourth, paused: true })
    expect(readPeer(db, prefix, 0)).toBeUndefined()
    expect((await listPeers(db, prefix)).map(({ number }) => number)).toEqual([1, 2, 4])
    expect((await peerOfPairing(db, prefix, '2'.repeat(22)))?.number).toBe(2)
    expect(await peerOfPairing(db, prefix, 'x')).toBeUndefined()
    await node.stop()
    expect((await expectSound(node.places)).checked).toMatchObject({ peers: 3, identities: 1 })
  })
})

describe('a check of peers', () => {
  const share = { is: 'share', streams: ['a'], direction: 'both', grantor: 'us' }
  const db = (texts: Record<string, string>): CheckContext['db'] => ({ get: (key: string) => texts[key] }) as CheckContext['db']

  function peerFindings(value: unknown, rest = '1'): Findings {
    const findings = createFindings(10)
    const context = { db: db({ [accountKeys.peer('3', 0)]: '{"last":1}' }), findings }
    checkPeer(context, { account: '3', rest, bytes: Buffer.from(JSON.stringify(value)) })
    return findings
  }

  it.each([[{ ...peer, number: 1 }, '1'], [{ ...peer, number: 1, scope: share }, '1'], [{ last: 7 }, '0']])('accepts %j', (value, rest) => {
    expect(peerFindings(value, rest).problems).toEqual([])
  })

  it.each([
    [{ ...peer, number: 2 }, '1'],
    [{ ...peer, number: 2 }, '2'],
    [{ ...peer, number: 1, node: 'x' }, '1'],
    [{ ...peer, number: 1, pairing: 'x' }, '1'],
    [{ ...peer, number: 1, scope: { ...share, streams: [] } }, '1'],
    [{ ...peer, number: 1, scope: { ...share, grantor: 'me' } }, '1'],
    [[], '1'],
    [{}, '0'],
  ])('reports %j under %s', (value, rest) => expect(peerFindings(value, rest).found).toBe(1))

  it('reports an identity that cannot be read', () => {
    const findings = createFindings(10)
    checkIdentity({ db: db({}), findings }, undefined)
    expect(findings).toMatchObject({ found: 0, checked: {} })
    checkIdentity({ db: db({ [nodeKeys.identity]: '{"node":"x","seed":"y"}' }), findings }, undefined)
    const sealed = JSON.stringify({ node: 'A'.repeat(43), seed: 'y' })
    checkIdentity({ db: db({ [nodeKeys.identity]: sealed }), findings }, node.node.store.seal)
    expect(findings.found).toBe(2)
  })
})
