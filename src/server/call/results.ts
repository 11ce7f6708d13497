/**
 * Parts of results that are already JSON text. Stored records are copied into answers without being parsed; transports that need
 * objects (batch, control) parse them.
 */

import { Failure } from '../../store/model/failure.js'
import { utf8Text } from '../../store/model/jsonText.js'
import type { AnswerReader } from './answers/answerReader.js'
import type { Result } from './method.js'

/** A value as JSON text, possibly in UTF-8. */
export class RawJson {
  constructor(readonly source: string | Uint8Array) {}

  get text(): string {
    return textOfPart(this.source)
  }

  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** A list of values as JSON texts, page by page. Each page is read once, and then emptied (`drainPage`). */
export class RawList {
  constructor(
    readonly pages: AsyncIterable<string[]>,
    /** The whole list joined by commas, if available; senders use it in place of the pages. */
    readonly joined?: string,
    /** Number of values in `joined`, if it may be large. */
    readonly count = 0,
  ) {}
}

/** Returns the pages of a list; for a client, reading alternates with that of other answers. */
export const pagesOf = ({ pages }: RawList, reader: AnswerReader | undefined): AsyncIterable<string[]> =>
  reader === undefined ? pages : reader.inTurn(pages)

/**
 * Joins the items of a page by commas and empties it, so that its source does not keep the items in memory while the text waits
 * for a client.
 */
export function drainPage(page: string[]): string {
  const text = page.join(',')
  page.length = 0
  return text
}

/** Creates a list that is already complete. */
export function completeList(texts: string[], joined = texts.join(','), count = texts.length): RawList {
  return new RawList(
    (async function* () {
      yield texts
    })(),
    joined,
    count,
  )
}

/** Returns the members of a result as JSON text, without braces. `lists` must contain the text of all lists. */
export function membersText(result: Result, lists?: ReadonlyMap<string, string>): string {
  let all = ''
  eachMember(result, (part) => (all += textOfPart(part)), lists)
  return all
}

/** Part of the text of a result, possibly in UTF-8. */
type Part = string | Uint8Array

/** Returns the text of a part. */
export const textOfPart = (part: Part): string => (typeof part === 'string' ? part : utf8Text(part))

/** Calls `add` with each part of the text of `membersText`; each value is a separate part. */
export function eachMember(result: Result, add: (part: Part) => void, lists?: ReadonlyMap<string, string>): void {
  let before = '"'
  for (const key in result) {
    const value = result[key]
    if (value === undefined) continue
    add(`${before}${key}":`)
    before = ',"'
    if (value instanceof RawJson) add(value.source)
    else if (value instanceof RawList) add(`[${value.joined ?? lists?.get(key) ?? ''}]`)
    else add(JSON.stringify(value) ?? 'null')
  }
}

/** Returns the members of a result without lists, like `membersText`, in pieces if one is UTF-8; otherwise undefined. */
export function memberPieces(result: Result): Part[] | undefined {
  if (!Object.values(result).some((value) => value instanceof RawJson && typeof value.source !== 'string')) return undefined
  const pieces: Part[] = []
  eachMember(result, (part) => pieces.push(part))
  return pieces
}

/**
 * Returns a whole result as JSON text, for a batch entry or a control answer. Throws `too-many-results` for a list of more than
 * `max` items, since such answers are held in memory. The text counts for `reader` from then on.
 * @param mustSend true when it can no longer be refused for its size
 * @param meta the JSON text of a last member
 */
export async function resultText(result: Result, max: number, reader?: AnswerReader, mustSend = false, meta?: string): Promise<string> {
  const lists = new Map<string, string>()
  for (const [key, value] of Object.entries(result)) {
    if (!(value instanceof RawList)) continue
    if (value.count > max) throw tooMany(max)
    if (value.joined === undefined) lists.set(key, await joined(value, max, reader))
  }
  const members = membersText(result, lists)
  const last = meta === undefined ? '' : `${members === '' ? '' : ','}"meta":${meta}`
  const text = `{${members}${last}}`
  // Lists that were read are already counted.
  let rest = lists.size === 0 ? Buffer.byteLength(text) : text.length
  for (const list of lists.values()) rest -= list.length
  const waiting = reader?.hold(rest, mustSend)
  if (waiting !== undefined) await waiting
  return text
}

async function joined(list: RawList, max: number, reader: AnswerReader | undefined): Promise<string> {
  // Concatenated, the texts are copied once, when the answer is written; each join would be another copy.
  let all = ''
  let count = 0
  for await (const page of pagesOf(list, reader)) {
    reader?.assertConnected()
    if (page.length === 0) continue
    count += page.length
    if (count > max) throw tooMany(max)
    const text = drainPage(page)
    const waiting = reader?.hold(Buffer.byteLength(text))
    if (waiting !== undefined) await waiting
    all += all === '' ? text : `,${text}`
  }
  return all
}

function tooMany(max: number): Failure {
  return new Failure('too-many-results', `The result has more than ${max} items.`, { limit: max })
}
