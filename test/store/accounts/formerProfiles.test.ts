/**
 * Migration of profile sets of store format 1 (CRDT documents) to registers when the store is opened; their changes are
 * removed.
 */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { Account, Transaction } from '../../../src/store/engine/account.js'
import { changeAt } from '../../../src/store/engine/changes.js'
import { checkStore } from '../../../src/store/check/index.js'
import { parseFormerProfile } from '../../../src/store/check/accountRecords.js'
import type { Database } from '../../../src/store/engine/database.js'
import { readJournal } from '../../../src/store/engine/journal.js'
import { accountKeys, nodeKeys } from '../../../src/store/engine/keys.js'
import { mergeKeys } from '../../../src/store/model/clientData.js'
import type { ClientData } from '../../../src/store/model/event.js'
import { joinProfile, profileState, registersSince, type StoredProfile } from '../../../src/store/model/profileRegisters.js'
import { noteConflict } from '../../../src/store/engine/mergeState.js'
import { findProfile, profileJson, findProfileToEdit, putProfile } from '../../../src/store/accounts/profiles.js'
import type { ChangeRecorder } from '../../../src/store/engine/changeRecorder.js'
import { changeComparison } from '../../../src/sync/merge/changeComparison.js'
import { createRecorder, materialise } from '../../../src/sync/crdt/document.js'
import { fieldsToProfile } from '../../../src/sync/crdt/fields.js'
import { registersOf } from '../../../src/sync/crdt/profileDocuments.js'
import { textsOnDisk } from '../../support/store/onDisk.js'
import { openTestStore, type TestStore } from '../../sync/digest/testStore.js'
import { runs } from '../../support/oracles/runs.js'

const ID = 'private'
let test: TestStore
afterEach(() => test.end())

/** Changes a set in format 1, as earlier versions do. */
function changeFormer(t: Transaction, update: ClientData, modified: number): void {
  const recorder = createRecorder({ actor: 'ab'.repeat(16) })
  const key = accountKeys.profile(t.account, ID)
  const former = parseFormerProfile(ID, t.get(key) ?? '')
  const item = { id: ID, keys: mergeKeys(former?.profile.keys, update) ?? {}, modified }
  const next = { kind: 'profile', item } as const
  const docStateKey = accountKeys.docState(t.account, `p${ID}`)
  let sequence: number
  if (former === undefined) sequence = t.journal('profile', 'create', ID, { change: recorder.created(next) })
  else {
    const docState = t.getBytes(docStateKey)
    const made = recorder.edited({ kind: 'profile', item: former.profile }, next, { ...(docState === undefined ? {} : { docState }), initialChange: () => changeAt(t, former.sequence) })
    t.put(docStateKey, made.docState)
    sequence = t.journal('profile', 'update', ID, { change: made.change, previous: former.sequence })
  }
  t.put(key, `${sequence.toString(36)} ${modified} ${JSON.stringify(item.keys)}`)
}

async function problemsOf({ opened }: TestStore): Promise<string[]> {
  await opened.committer.settled()
  const { problems } = await checkStore(opened.db, { head: opened.committer.head, comparison: changeComparison })
  return problems.map(({ where, what }) => `${where} ${what}`).filter((one) => !/user|the node/.test(one))
}

/** Marks the store as format 1 and reopens it. */
async function reopened(store: TestStore, more: Record<string, unknown> = { format: 1 }): Promise<void> {
  const { db } = store.opened
  const batch = db.batch()
  batch.put(nodeKeys.format, JSON.stringify({ ...(JSON.parse(db.get(nodeKeys.format) ?? '{}') as object), ...more }))
  await batch.write({ sync: true })
  await store.reopen('stopped')
}

const findStored = ({ db }: Account): StoredProfile | undefined => findProfile(db, '1', ID)
const formatOf = (db: Database): unknown => JSON.parse(db.get(nodeKeys.format) ?? '')

describe('a profile set of a store of format 1', () => {
  it('is migrated with its current values, without removed and replaced ones', async () => {
    test = await openTestStore()
    const { account } = test
    await account.write((t) => changeFormer(t, { gone: 'zq-gone-mark', changed: 'zq-changed-mark', kept: { a: [1] }, ['__proto__']: 1 }, 5))
    await account.write((t) => changeFormer(t, { gone: null, changed: 'later' }, 6.5))
    await account.write((t) => noteConflict(t, `p${ID}`, { edits: ['keys'] }, 6))
    expect(await problemsOf(test)).toEqual([])
    // The set is readable before its migration.
    expect(profileJson(account.db, '1', ID)).toBe('{"__proto__":1,"changed":"later","kept":{"a":[1]}}')
    expect((await textsOnDisk(test.folder, ['zq-gone-mark', 'zq-changed-mark'])).length).toBeGreaterThan(1)
    await reopened(test)
    const { db } = test.opened
    expect(profileJson(db, '1', ID)).toBe('{"__proto__":1,"changed":"later","kept":{"a":[1]}}')
    expect(findStored(test.account)?.profile.modified).toBe(6.5)
    expect(formatOf(db)).toEqual({ ...(formatOf(db) as object), format: 2 })
    expect(formatOf(db)).not.toHaveProperty('from')
    expect([db.get(accountKeys.docState('1', `p${ID}`)), db.get(accountKeys.conflict('1', `p${ID}`))]).toEqual([undefined, undefined])
    expect(await problemsOf(test)).toEqual([])
    await db.compact({ gte: '', lt: '\u{10ffff}' })
    expect(await textsOnDisk(test.folder, ['zq-gone-mark', 'zq-changed-mark'])).toEqual([])
    // A second start changes nothing.
    const [{ sequence }, text] = [test.account, db.get(accountKeys.profile('1', ID))]
    await reopened(test)
    expect([test.account.sequence, test.opened.db.get(accountKeys.profile('1', ID))]).toEqual([sequence, text])
  })

  it('is migrated by the next start after an interrupted migration', async () => {
    test = await openTestStore()
    await test.account.write((t) => changeFormer(t, { a: 1 }, 5))
    await reopened(test, { format: 2, from: 1 })
    expect(findStored(test.account)?.profile.keys).toEqual({ a: 1 })
    expect(formatOf(test.opened.db)).not.toHaveProperty('from')
    expect(await problemsOf(test)).toEqual([])
  })

  it('is migrated by its first change if no start migrated it', async () => {
    test = await openTestStore()
    const { account, store } = test
    await account.write((t) => changeFormer(t, { a: 1, b: 2 }, 5))
    await account.write((t) => putProfile(t, findProfileToEdit(t, store.recorder, ID), { id: ID, keys: { a: 1, c: 3 }, modified: 6 }))
    expect(findStored(account)?.profile).toEqual({ id: ID, keys: { a: 1, c: 3 }, modified: 6 })
    expect(await problemsOf(test)).toEqual([])
  })

  it('takes the values of its record, with the lowest counters, where its changes cannot be read', async () => {
    test = await openTestStore()
    const { account } = test
    await account.write((t) => changeFormer(t, { a: 1 }, 5))
    await account.write((t) => changeFormer(t, { b: 2 }, 6))
    const batch = test.opened.db.batch()
    batch.put(accountKeys.journal('1', account.sequence), Buffer.from(`p~${ID} ${(account.sequence - 1).toString(36)}\nbroken beyond reading`))
    await batch.write({ sync: true })
    await reopened(test)
    const kept = findStored(test.account) as StoredProfile
    expect(kept.profile.keys).toEqual({ a: 1, b: 2 })
    expect([...kept.registers.set.values()].map(({ counter }) => counter)).toEqual([1, 1])
  })

  it('is unchanged where its record cannot be read, and does not prevent the migration of others', async () => {
    test = await openTestStore()
    await test.account.write((t) => t.put(accountKeys.profile('1', 'public'), '1 1 {'))
    await test.account.write((t) => changeFormer(t, { a: 1 }, 5))
    await reopened(test)
    expect(findStored(test.account)?.profile.keys).toEqual({ a: 1 })
    expect(await problemsOf(test)).toEqual(['account 1, profile public has a record that cannot be read'])
  })

  it('is in the journal as one state', async () => {
    test = await openTestStore()
    await test.account.write((t) => changeFormer(t, { a: 1, b: 2 }, 5))
    await test.account.write((t) => changeFormer(t, { b: null }, 5))
    await reopened(test)
    const journaled: Uint8Array[] = []
    for await (const { change } of readJournal(test.opened.db, '1')) journaled.push(change)
    expect(journaled.map((change) => Buffer.from(change))).toEqual([Buffer.from(profileState(findStored(test.account) as StoredProfile))])
  })
})

describe('registers made from CRDT changes', () => {
  const update = fc.dictionary(fc.constantFrom('a', 'b', 'c\ud800'), fc.constantFrom(null, 1, 'x', [2]), { maxKeys: 2, noNullPrototype: true })
  const step = fc.record({ node: fc.nat({ max: 2 }), from: fc.nat({ max: 2 }), update: fc.option(update, { nil: undefined }) })

  it('keep the value of an edit concurrent with a removal', async () => {
    test = await openTestStore()
    const [x, y, z] = ['aa', 'bb', 'cc'].map((actor) => createRecorder({ actor: actor.repeat(16) })) as [ChangeRecorder, ChangeRecorder, ChangeRecorder]
    const change = (recorder: ChangeRecorder, changes: Uint8Array[], keys: ClientData): Uint8Array[] => {
      const { fields, docState } = materialise(changes)
      const next = { kind: 'profile', item: { id: ID, keys, modified: 1 } } as const
      return [...changes, recorder.edited({ kind: 'profile', item: fieldsToProfile(ID, fields) }, next, { docState, initialChange: () => changes[0] as Uint8Array }).change]
    }
    const base = [x.created({ kind: 'profile', item: { id: ID, keys: { a: 1 }, modified: 1 } })]
    const removed = change(y, change(y, base, { a: 1, b: 1 }), { b: 1 })
    const both = [...removed, ...change(z, base, { a: 2 }).slice(1)]
    const merged = joinProfile(ID, undefined, { modified: 1, registers: registersOf(ID, both) }).after(1)
    expect(merged.profile.keys).toEqual({ a: 2, b: 1 })
    expect(joinProfile(ID, merged, { modified: 1, registers: registersOf(ID, removed) }).after(1).profile.keys).toEqual({ a: 2, b: 1 })
  })

  it('equal the document, and merge to the same set in any order', async () => {
    test = await openTestStore()
    fc.assert(fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
      const copies = Array.from({ length: 3 }, () => ({ actor: randomBytes(16).toString('hex'), changes: new Map<string, Uint8Array>() }))
      for (const [i, { node, from, update: keys }] of steps.entries()) {
        const copy = copies[node] as (typeof copies)[number]
        if (keys === undefined) {
          for (const [name, change] of copies[from]?.changes ?? []) copy.changes.set(name, change)
          continue
        }
        const recorder = createRecorder({ actor: copy.actor })
        const changes = [...copy.changes.values()]
        const modified = i
        let change: Uint8Array
        if (changes.length === 0) change = recorder.created({ kind: 'profile', item: { id: ID, keys: mergeKeys({}, keys) ?? {}, modified } })
        else {
          const { fields, docState } = materialise(changes)
          const before = fieldsToProfile(ID, fields)
          change = recorder.edited({ kind: 'profile', item: before }, { kind: 'profile', item: { id: ID, keys: mergeKeys(before.keys, keys) ?? {}, modified } }, { docState, initialChange: () => change }).change
        }
        copy.changes.set(Buffer.from(change).toString('hex'), change)
      }
      const merged = copies.map(({ changes }) => joinProfile(ID, undefined, { modified: 0, registers: registersOf(ID, [...changes.values()]) }).after(1))
      for (const [i, { changes }] of copies.entries()) {
        if (changes.size > 0) expect(merged[i]?.profile.keys).toEqual(fieldsToProfile(ID, materialise([...changes.values()]).fields).keys)
      }
      const [one, two, three] = merged as [StoredProfile, StoredProfile, StoredProfile]
      const joined = (...list: StoredProfile[]): StoredProfile =>
        list.reduce((all, next) => joinProfile(ID, all, { modified: 0, registers: registersSince(next) }).after(1))
      expect(profileState(joined(one, two, three))).toEqual(profileState(joined(three, two, one)))
      // Registers of a superset of changes are at least as recent.
      const all = new Map(copies.flatMap(({ changes }) => [...changes]))
      const whole = joinProfile(ID, undefined, { modified: 0, registers: registersOf(ID, [...all.values()]) }).after(1)
      for (const { changes } of copies) {
        const subset = registersOf(ID, [...changes.values()])
        const later = joinProfile(ID, whole, { modified: 0, registers: subset }).after(1)
        for (const [key, mark] of whole.registers.set) {
          const { counter, actor } = later.registers.set.get(key) ?? {}
          expect([counter, actor]).toEqual([mark.counter, mark.actor])
        }
      }
    }), { numRuns: runs(150) })
  })
})
