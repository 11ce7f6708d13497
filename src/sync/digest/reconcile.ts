/**
 * Finds the items in which two sets differ, with traffic proportional to the differences. The sides compare digests of ever
 * smaller parts, finally marks of single items; each reply contains what the receiver can compare with its own.
 *
 *   leader: parts → sums2 → sums3 → marks → lacking
 *
 * Each step answers the previous one, and equal parts get no answer. Every message is self-contained, so a step may take several.
 * Sets may change meanwhile: the result may contain items that no longer differ, and may miss items changed meanwhile, but no
 * others. A small set is sent as a whole (`few`), to which a large one answers as if it were the leader.
 */
import { hash } from 'node:crypto'
import { kindLetter } from '../../store/engine/journal.js'
import { isZeroDigest, type DigestElement } from '../../store/model/digestElement.js'
import type { ItemRef } from '../wire/entry.js'
import type { ItemSet } from '../wire/itemSet.js'

export interface Reconciler {
  /** Returns the first message of the leader. */
  start(): Promise<Uint8Array>
  /**
   * Handles a message of the peer. `differing` lists local items that the peer lacks or has in another state; each side
   * sends its copies of them.
   * @throws ReconciliationDamaged
   */
  receive(message: Uint8Array): Promise<{ replies: Uint8Array[]; differing: ItemRef[]; done: boolean }>
}

/** Maximum number of filled buckets for which the leader sends its set as a whole. */
const MAX_SENT_WHOLE = 64
/** Maximum number of filled buckets for which the peer compares that set directly with its own. */
const MAX_COMPARED_DIRECTLY = 2048

/** Step that follows each step of digests. */
const NEXT_STEP = { parts: 'sums2', sums2: 'sums3', sums3: 'marks' } as const

const hex = (part: number, digits: number): string => part.toString(16).padStart(digits, '0')
/** Concatenates digests, truncated to the length sent. */
const joined = (sums: readonly DigestElement[]): Uint8Array => Buffer.concat(sums.map((sum) => sum.subarray(0, SUM_LENGTH)))

/** Returns the mark of an item in a state: 6 bytes as hexadecimal digits. */
function markOf({ kind, id }: ItemRef, state: DigestElement): string {
  const own = Buffer.concat([Buffer.from(kindLetter(kind) + id, 'utf8'), state])
  return hash('sha256', own, 'hex').slice(0, 2 * MARK_LENGTH)
}

const marksIn = (bytes: Uint8Array): Set<string> => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
  const marks = new Set<string>()
  for (let at = 0; at < text.length; at += 2 * MARK_LENGTH) marks.add(text.slice(at, at + 2 * MARK_LENGTH))
  return marks
}

/** Creates one side of a single reconciliation. */
export function createReconciler(mine: ItemSet): Reconciler {
  /** Steps that may come next; after a `few` of this side the peer may start over. */
  let expected: readonly ReconcileStep[] = ['parts', 'few']
  /** Last part named by the current step; -1 before the first. */
  let before = -1
  /** True when the current step got an answer. */
  let answered = false

  async function parts256(): Promise<Uint8Array> {
    const tops = await Promise.all(Array.from({ length: 16 }, (_, digit) => mine.parts(hex(digit, 1))))
    return joined(tops.flat())
  }

  /** Returns items by bucket, each by its mark. */
  async function itemsOf(buckets: readonly number[]): Promise<Map<number, Map<string, ItemRef>>> {
    const read = await Promise.all(buckets.map((bucket) => mine.items(hex(bucket, 4))))
    return new Map(
      buckets.map((bucket, i) => [bucket, new Map((read[i] ?? []).map(({ item, state }) => [markOf(item, state), item]))]),
    )
  }

  /** Returns the buckets that are not empty; undefined when there are more than `max`. */
  async function filled(maxParts: number): Promise<number[] | undefined> {
    let parts = ['']
    for (let digits = 0; digits < 4; digits++) {
      const sums = await Promise.all(parts.map((part) => mine.parts(part)))
      parts = parts.flatMap((part, i) =>
        (sums[i] ?? []).flatMap((sum, digit) => (isZeroDigest(sum) ? [] : [part + digit.toString(16)])),
      )
      // Each of these parts has at least one filled bucket.
      if (parts.length > maxParts) return undefined
    }
    return parts.map((part) => Number.parseInt(part, 16))
  }

  async function marksOf(buckets: readonly number[]): Promise<Parts> {
    const items = await itemsOf(buckets)
    return buckets.map((bucket) => [bucket, Buffer.from([...(items.get(bucket) ?? new Map()).keys()].join(''), 'hex')])
  }

  /** Returns the parts, numbered from `first`, whose digests differ. */
  function differingIn(own: Uint8Array, others: Uint8Array, first: number): number[] {
    const found: number[] = []
    for (let at = 0; at < own.length; at += SUM_LENGTH) {
      const end = at + SUM_LENGTH
      if (Buffer.compare(own.subarray(at, end), others.subarray(at, end)) !== 0) found.push(first + at / SUM_LENGTH)
    }
    return found
  }

  /** Compares digests with those of a message; returns the differing parts, with one digit more. */
  async function compareSums({ step, parts }: Message): Promise<number[]> {
    if (step === 'parts') {
      const [[, others] = [0, new Uint8Array(0)]] = parts
      return others.length === 0 ? [] : differingIn(await parts256(), others, 0)
    }
    const digits = step === 'sums2' ? 2 : 3
    const own = await Promise.all(parts.map(([part]) => mine.parts(hex(part, digits))))
    return parts.flatMap(([part, others], i) => differingIn(joined(own[i] ?? []), others, part * 16))
  }

  /** Returns the content of the next step for differing parts. */
  async function contentOf(step: ReconcileStep, parts: readonly number[]): Promise<Parts> {
    if (step === 'marks') return marksOf(parts)
    const digits = step === 'sums2' ? 2 : 3
    const sums = await Promise.all(parts.map((part) => mine.parts(hex(part, digits))))
    return parts.map((part, i) => [part, joined(sums[i] ?? [])])
  }

  /** Compares marks with those of local items: returns local items that differ, and marks of the peer that are missing here. */
  async function compareMarks({ step, parts }: Message, buckets: readonly number[]): Promise<[ItemRef[], Parts]> {
    const others = new Map(parts)
    const items = await itemsOf(buckets)
    const differing: ItemRef[] = []
    const lacking: Parts = []
    for (const bucket of buckets) {
      const theirs = marksIn(others.get(bucket) ?? new Uint8Array(0))
      for (const [mark, item] of items.get(bucket) ?? []) {
        // Marks that the peer lacks are those of local items.
        if (theirs.delete(mark) === (step === 'lacking')) differing.push(item)
      }
      if (theirs.size > 0) lacking.push([bucket, Buffer.from([...theirs].join(''), 'hex')])
    }
    return [differing, step === 'lacking' ? [] : lacking]
  }

  function expect({ step, parts }: Message): void {
    if (!expected.includes(step)) throw new ReconciliationDamaged(`is out of order: ${step}`)
    const first = parts[0]?.[0] ?? before + 1
    if (first <= before) throw new ReconciliationDamaged('has parts out of order')
    before = parts.at(-1)?.[0] ?? before
    expected = [step]
  }

  /** Encodes the answer to a message. */
  function answer(step: ReconcileStep, parts: Parts, { isLast }: Message): { replies: Uint8Array[]; done: boolean } {
    if (parts.length > 0) answered = true
    if (!isLast) return { replies: encodeStep(step, parts, false), done: false }
    const isOver = !answered || step === 'lacking'
    // A step without parts has ended the exchange.
    const replies = before < 0 ? [] : encodeStep(step, parts, true)
    expected = isOver ? [] : [step === 'marks' ? 'lacking' : NEXT_STEP[step as keyof typeof NEXT_STEP]]
    before = -1
    answered = false
    return { replies, done: isOver }
  }

  async function begin(): Promise<Uint8Array[]> {
    expected = ['sums2']
    before = -1
    return encodeStep('parts', [[0, await parts256()]], true)
  }

  /** Compares a small set as a whole; answers as the leader when the local set is large. */
  async function receiveFew(message: Message): ReturnType<Reconciler['receive']> {
    if (!message.isLast) throw new ReconciliationDamaged('sends a small set in parts')
    const own = await filled(MAX_COMPARED_DIRECTLY)
    if (own === undefined) return { replies: await begin(), differing: [], done: false }
    const buckets = new Set([...message.parts.map(([part]) => part), ...own])
    const [differing, lacking] = await compareMarks(message, [...buckets].sort((a, b) => a - b))
    expected = []
    return { replies: encodeStep('lacking', lacking, true), differing, done: true }
  }

  return {
    async start() {
      const buckets = await filled(MAX_SENT_WHOLE)
      const few = buckets === undefined ? [] : encodeStep('few', await marksOf(buckets), true)
      const messages = few.length === 1 ? few : await begin()
      if (few.length === 1) expected = ['lacking', 'parts']
      return messages[0] as Uint8Array
    },
    async receive(bytes) {
      const message = decodeMessage(bytes)
      expect(message)
      const { step, isLast, parts } = message
      if (step === 'few') return receiveFew(message)
      if (step === 'marks' || step === 'lacking') {
        const [differing, lacking] = await compareMarks(message, parts.map(([part]) => part))
        if (step === 'marks') return { ...answer('lacking', lacking, message), differing }
        if (isLast) expected = []
        return { replies: [], differing, done: isLast }
      }
      const differing = await compareSums(message)
      return { ...answer(NEXT_STEP[step], await contentOf(NEXT_STEP[step], differing), message), differing: [] }
    },
  }
}

/**
 * Encoding of reconciliation messages: `version u8 = 1` `step u8` `flags u8`, then the content of the step. Bit 0 of the flags
 * marks the last message of its step. Sums are the first 8 bytes of digests, marks are 6 bytes for an item with its state; both
 * are truncated, since they only detect differences.
 *
 * - `parts`: the sums of the 256 parts of the whole
 * - `sums2`, `sums3`: parts by their first 2, or 3, hexadecimal digits as `u16`, each with the sums of its 16 parts
 * - `marks`: buckets as `u16` `u32` (count), each with the marks of its items
 * - `lacking`: the same; marks of the receiver that the sender lacks
 * - `few`: like `marks`, of all filled buckets
 */
const STEPS = ['parts', 'sums2', 'sums3', 'marks', 'lacking', 'few'] as const
type ReconcileStep = (typeof STEPS)[number]

const SUM_LENGTH = 8
const MARK_LENGTH = 6
const MESSAGE_PARTS = 256

const VERSION = 1
const HEAD = 3
const LAST = 1

/** Usual maximum of message bytes; only a single bucket may exceed it. */
const USUAL_LENGTH = 48 * 1024

/** Error for bytes that are no valid reconciliation message, or not an expected one. */
export class ReconciliationDamaged extends Error {
  override name = 'ReconciliationDamaged'
}

/** Part → bytes of its sums or marks. */
type Parts = [part: number, bytes: Uint8Array][]

interface Message {
  step: ReconcileStep
  isLast: boolean
  /** Parts in ascending order. */
  parts: Parts
}

const hasCounts = (step: ReconcileStep): boolean => step === 'marks' || step === 'lacking' || step === 'few'
const itemLength = (step: ReconcileStep): number => (hasCounts(step) ? MARK_LENGTH : SUM_LENGTH)

/** Returns the number of parts at a step. */
function max(step: ReconcileStep): number {
  if (step === 'parts') return 1
  if (step === 'sums2') return 256
  return step === 'sums3' ? 4096 : 65_536
}

/** Returns the maximum number of parts of a message of usual length; bounds the reads needed to answer it. */
const maxAtOnce = (step: ReconcileStep): number => Math.ceil(USUAL_LENGTH / (hasCounts(step) ? 6 : 2 + 16 * SUM_LENGTH)) + 1

/** Encodes the messages of a step, or of a part of it. With `isLast` there is at least one, and the last of them is marked. */
function encodeStep(step: ReconcileStep, parts: Parts, isLast: boolean): Uint8Array[] {
  const messages: Uint8Array[] = []
  let group: Parts = []
  let length = 0
  for (const part of parts) {
    group.push(part)
    length += part[1].length + 6
    if (length < USUAL_LENGTH) continue
    messages.push(encode(step, group, false))
    group = []
    length = 0
  }
  if (isLast || group.length > 0) messages.push(encode(step, group, isLast))
  return messages
}

function encode(step: ReconcileStep, parts: Parts, isLast: boolean): Uint8Array {
  const head = step === 'parts' ? 0 : hasCounts(step) ? 6 : 2
  const length = parts.reduce((sum, [, { length: own }]) => sum + own + head, HEAD)
  const bytes = Buffer.alloc(length)
  bytes.set([VERSION, STEPS.indexOf(step), isLast ? LAST : 0])
  let at = HEAD
  for (const [part, own] of parts) {
    if (head > 0) bytes.writeUInt16LE(part, at)
    if (head > 2) bytes.writeUInt32LE(own.length / MARK_LENGTH, at + 2)
    bytes.set(own, at + head)
    at += head + own.length
  }
  return bytes
}

/**
 * Decodes a message without copying.
 * @throws ReconciliationDamaged
 */
function decodeMessage(message: Uint8Array): Message {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  if (bytes.length < HEAD) throw new ReconciliationDamaged('is too short')
  if (bytes[0] !== VERSION) throw new ReconciliationDamaged(`has the unknown version ${bytes[0] ?? 0}`)
  const step = STEPS[bytes[1] ?? 0]
  const flags = bytes[2] ?? 0
  if (step === undefined || flags > LAST) throw new ReconciliationDamaged('has an unknown form')
  const parts: Parts = []
  let before = -1
  let at = HEAD
  while (at < bytes.length) {
    const [part, length, head] = partAt(bytes, at, step)
    const end = at + head + length
    if (end > bytes.length) throw new ReconciliationDamaged('ends within a part')
    if (parts.length >= maxAtOnce(step)) throw new ReconciliationDamaged('has too many parts')
    if (part <= before || part >= max(step)) throw new ReconciliationDamaged('has parts out of order')
    parts.push([part, bytes.subarray(at + head, end)])
    before = part
    at = end
  }
  return { step, isLast: flags === LAST, parts }
}

/** Returns the number, the length and the header length of the part at an offset. */
function partAt(bytes: Buffer, at: number, step: ReconcileStep): [part: number, length: number, head: number] {
  if (step === 'parts') return [0, MESSAGE_PARTS * SUM_LENGTH, 0]
  const head = hasCounts(step) ? 6 : 2
  if (at + head > bytes.length) throw new ReconciliationDamaged('ends within a part')
  const count = head === 6 ? bytes.readUInt32LE(at + 2) : 16
  return [bytes.readUInt16LE(at), count * itemLength(step), head]
}
