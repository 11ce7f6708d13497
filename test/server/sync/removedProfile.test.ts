/** Removed and replaced values of profile sets are erased from the disks of all nodes after a sync and compaction. */
import { appendFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compactTarget } from '../../../src/server/maintenance/work/compact.js'
import { workTarget } from '../../../src/server/maintenance/work/workTarget.js'
import type { ProfileEntry } from '../../../src/sync/wire/entry.js'
import type { Message } from '../../../src/sync/wire/message.js'
import { expectSound } from '../../support/store/check.js'
import { placesOf, startTestNode } from '../../support/nodes/node.js'
import { textsOnDisk } from '../../support/store/onDisk.js'
import { callAt, startSide, type Side } from '../../support/sync/pairedNodes.js'
import { tappedLine, type TappedLine } from '../../support/sync/recordedSession.js'

const OFF = { 'sync.active': false }
const mark = (word: string): string => `zq-${word}-mark`
const MARKS = ['removed', 'replaced', 'apart', 'twice', 'name'].map(mark)
const LARGE = 'large '.repeat(50_000)
let sides: [Side, Side, Side]
let lines: TappedLine[]

const update = (side: Side, keys: Record<string, unknown>, id = 'private'): Promise<unknown> => callAt(side, 'profile.update', { id, update: keys })
const profileOf = async (side: Side, id = 'private'): Promise<unknown> => (await callAt(side, 'profile.get', { id }))['profile']
const registersIn = (messages: readonly Message[]): ProfileEntry['registers'][number][] =>
  messages.flatMap((message) => (message.type === 'group' ? message.entries : [])).flatMap((entry) => ('registers' in entry ? entry.registers : []))
async function syncAll(): Promise<void> {
  // Twice, because changes pass through the middle node in both directions.
  for (const line of [...lines, ...lines]) {
    await line.connect()
    await line.inSync()
    await line.disconnect()
  }
}

beforeAll(async () => {
  sides = [await startSide(OFF), await startSide(OFF), await startSide(OFF)]
  const mirrors = [{ is: 'mirror' }, { is: 'mirror' }] as const
  lines = [await tappedLine(sides[0], sides[1], mirrors), await tappedLine(sides[1], sides[2], mirrors)]
})
afterAll(async () => {
  for (const { home } of sides) await rm(home, { recursive: true, force: true })
})

it('concurrent changes on three disconnected nodes converge', async () => {
  const [a, b, c] = sides
  await update(a, { removed: mark('removed'), replaced: mark('replaced'), twice: mark('twice'), [mark('name')]: 1, kept: LARGE })
  await update(b, { a: 1 }, 'public')
  await syncAll()
  for (const side of sides) expect(await profileOf(side)).toEqual({ removed: mark('removed'), replaced: mark('replaced'), twice: mark('twice'), [mark('name')]: 1, kept: LARGE })
  await update(a, { removed: null, twice: null, replaced: 'later', [mark('name')]: null })
  await update(b, { twice: null, other: [1] })
  await update(c, { apart: mark('apart'), a: 2 })
  await update(c, { apart: null })
  await update(c, { a: null, b: 2 }, 'public')
  await syncAll()
  for (const side of sides) {
    expect(await profileOf(side)).toEqual({ replaced: 'later', other: [1], a: 2, kept: LARGE })
    expect(await profileOf(side, 'public')).toEqual({ b: 2 })
  }
})

it('only changed keys are transferred', async () => {
  const [a, b] = sides
  const [line] = lines as [TappedLine]
  line.heard[1].length = 0
  await line.connect()
  await update(a, { small: 1, other: null })
  await line.inSync()
  await line.disconnect()
  const registers = registersIn(line.heard[1])
  expect(registers.map((one) => ('key' in one ? one.key : 'removed')).sort()).toEqual(['removed', 'small'])
  expect(await profileOf(b)).toEqual({ replaced: 'later', a: 2, kept: LARGE, small: 1 })
  await syncAll()
})

it('no removed or replaced value remains on disk after compaction', async () => {
  // The disks contain the values before, so the search works.
  const before = await Promise.all(sides.map(({ home }) => textsOnDisk(home, MARKS)))
  for (const found of before) expect(MARKS.filter((text) => found.some((line) => line.endsWith(text)))).toEqual(expect.arrayContaining(MARKS.filter((text) => text !== mark('apart'))))
  for (const { node, home } of sides) {
    await compactTarget(workTarget(node.node), () => {})
    await node.stop()
    expect(await textsOnDisk(home, MARKS)).toEqual([])
    await appendFile(join(home, 'proof'), mark('removed'))
    expect(await textsOnDisk(home, MARKS)).toHaveLength(1)
    await expectSound(placesOf(home))
  }
})

it('the profile sets are unchanged after a restart', async () => {
  const [side] = sides
  side.node = await startTestNode(OFF, { home: side.home })
  try {
    expect(await profileOf(side)).toEqual({ replaced: 'later', a: 2, kept: LARGE, small: 1 })
    await update(side, { small: null })
    expect(await profileOf(side)).toEqual({ replaced: 'later', a: 2, kept: LARGE })
  } finally {
    await side.node.stop()
  }
  await expectSound(placesOf(side.home))
})
