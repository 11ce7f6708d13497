/** What is removed from a profile set, or replaced in it, is found on no node's disk once they have met and were compacted. */
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
const shown = async (side: Side, id = 'private'): Promise<unknown> => (await callAt(side, 'profile.get', { id }))['profile']
const registersIn = (messages: readonly Message[]): ProfileEntry['registers'][number][] =>
  messages.flatMap((message) => (message.type === 'group' ? message.entries : [])).flatMap((entry) => ('registers' in entry ? entry.registers : []))
async function meet(): Promise<void> {
  // Twice along the row: what comes over the node in the middle goes back over it.
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

it('is changed on three nodes that are apart, and comes to the same on all', async () => {
  const [a, b, c] = sides
  await update(a, { removed: mark('removed'), replaced: mark('replaced'), twice: mark('twice'), [mark('name')]: 1, kept: LARGE })
  await update(b, { a: 1 }, 'public')
  await meet()
  for (const side of sides) expect(await shown(side)).toEqual({ removed: mark('removed'), replaced: mark('replaced'), twice: mark('twice'), [mark('name')]: 1, kept: LARGE })
  await update(a, { removed: null, twice: null, replaced: 'later', [mark('name')]: null })
  await update(b, { twice: null, other: [1] })
  await update(c, { apart: mark('apart'), a: 2 })
  await update(c, { apart: null })
  await update(c, { a: null, b: 2 }, 'public')
  await meet()
  for (const side of sides) {
    expect(await shown(side)).toEqual({ replaced: 'later', other: [1], a: 2, kept: LARGE })
    expect(await shown(side, 'public')).toEqual({ b: 2 })
  }
})

it('is exchanged as what changed, without what stays', async () => {
  const [a, b] = sides
  const [line] = lines as [TappedLine]
  line.heard[1].length = 0
  await line.connect()
  await update(a, { small: 1, other: null })
  await line.inSync()
  await line.disconnect()
  const registers = registersIn(line.heard[1])
  expect(registers.map((one) => ('key' in one ? one.key : 'removed')).sort()).toEqual(['removed', 'small'])
  expect(await shown(b)).toEqual({ replaced: 'later', a: 2, kept: LARGE, small: 1 })
  await meet()
})

it('is on no disk any more, once the stores were compacted', async () => {
  // All of it is there, on those that had it: else the search would prove nothing.
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

it('is as it was after a start', async () => {
  const [side] = sides
  side.node = await startTestNode(OFF, { home: side.home })
  try {
    expect(await shown(side)).toEqual({ replaced: 'later', a: 2, kept: LARGE, small: 1 })
    await update(side, { small: null })
    expect(await shown(side)).toEqual({ replaced: 'later', a: 2, kept: LARGE })
  } finally {
    await side.node.stop()
  }
  await expectSound(placesOf(side.home))
})
