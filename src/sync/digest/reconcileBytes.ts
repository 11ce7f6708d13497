/**
 * Encoding of reconciliation messages: `version u8 = 1` `step u8` `flags u8`, then the content of the step. Bit 0 of the
 * flags marks the last message of its step. Sums are the first 8 bytes of digests, marks are 6 bytes for an item with its
 * state; both only need to differ.
 *
 * - `parts`: the sums of the 256 parts of the whole
 * - `sums2`, `sums3`: parts by their first 2, or 3, hexadecimal digits as `u16`, each with the sums of its 16 parts
 * - `marks`: buckets as `u16` `u32` (count), each with the marks of its items
 * - `lacking`: the same; marks of the receiver that the sender lacks
 * - `few`: like `marks`, of all filled buckets
 */
export const STEPS = ['parts', 'sums2', 'sums3', 'marks', 'lacking', 'few'] as const
export type ReconcileStep = (typeof STEPS)[number]

export const SUM_LENGTH = 8
export const MARK_LENGTH = 6
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
export type Parts = [part: number, bytes: Uint8Array][]

export interface Message {
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
export function encodeStep(step: ReconcileStep, parts: Parts, isLast: boolean): Uint8Array[] {
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
export function decodeMessage(message: Uint8Array): Message {
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
