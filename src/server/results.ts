/**
 * Parts of a result that are already JSON text. Stored records go into answers as they are, without being parsed;
 * doors that need objects (batch, control) parse them there.
 */

import { Failure } from '../store/model/failure.js'
import { utf8Text } from '../store/model/jsonText.js'
import type { AnswerReader } from './answers/answerReader.js'
import type { Result } from './method.js'

/** One value as JSON text, which may be UTF-8 already. */
export class RawJson {
  constructor(readonly source: string | Uint8Array) {}

  get text(): string {
    return typeof this.source === 'string' ? this.source : utf8Text(this.source)
  }

  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** A list of values as JSON texts, page by page. Pages are given away: each is read once, and emptied (`takenFrom`). */
export class RawList {
  constructor(
    readonly pages: AsyncIterable<string[]>,
    /** The whole list joined by commas, when it is at hand. */
    readonly joined?: string,
    /** How many values `joined` holds, where that may be many. */
    readonly count = 0,
  ) {}
}

/** The pages of a list, read in turn with those of other answers if a client waits for this one. */
export const pagesOf = ({ pages }: RawList, reader: AnswerReader | undefined): AsyncIterable<string[]> =>
  reader === undefined ? pages : reader.inTurn(pages)

/**
 * The items of a page joined by commas. What made the page still has it while the text waits for a client, and should not
 * keep the items a second time: so it is emptied.
 */
export function takenFrom(page: string[]): string {
  const text = page.join(',')
  page.length = 0
  return text
}

/** A list that is already complete. */
export function completeList(texts: string[], joined = texts.join(','), count = texts.length): RawList {
  return new RawList(
    (async function* () {
      yield texts
    })(),
    joined,
    count,
  )
}

/** The members of a result as JSON text, without braces. Lists must be among what `lists` gives text for. */
export function membersText(result: Result, lists?: ReadonlyMap<string, string>): string {
  let text = ''
  for (const key in result) {
    const value = result[key]
    if (value === undefined) continue
    if (text !== '') text += ','
    text += `"${key}":`
    if (value instanceof RawJson) text += value.text
    else if (value instanceof RawList) text += `[${value.joined ?? lists?.get(key) ?? ''}]`
    else text += JSON.stringify(value) ?? 'null'
  }
  return text
}

/** The members of a result without lists, as `membersText` gives them, in pieces where one is UTF-8 already; else undefined. */
export function memberPieces(result: Result): (string | Uint8Array)[] | undefined {
  if (!Object.values(result).some((value) => value instanceof RawJson && typeof value.source !== 'string')) return undefined
  const pieces: (string | Uint8Array)[] = []
  for (const key in result) {
    const value = result[key]
    if (value === undefined) continue
    pieces.push(`${pieces.length === 0 ? '' : ','}"${key}":`, value instanceof RawJson ? value.source : JSON.stringify(value))
  }
  return pieces
}

/**
 * A whole result as JSON text: what a batch entry or a control answer holds. Throws `too-many-results` for a list of
 * more than `most` items, since such answers are held in one piece. `reader`, who waits for it, holds the text from then on.
 * @param isMade whether it can no longer be refused for its size
 * @param meta the JSON text of a last member
 */
export async function resultText(result: Result, max: number, reader?: AnswerReader, isMade = false, meta?: string): Promise<string> {
  const lists = new Map<string, string>()
  for (const [key, value] of Object.entries(result)) {
    if (!(value instanceof RawList)) continue
    if (value.count > max) throw tooMany(max)
    if (value.joined === undefined) lists.set(key, await joined(value, max, reader))
  }
  const members = membersText(result, lists)
  const last = meta === undefined ? '' : `${members === '' ? '' : ','}"meta":${meta}`
  const text = `{${members}${last}}`
  // Lists that were read are counted already.
  let rest = lists.size === 0 ? Buffer.byteLength(text) : text.length
  for (const list of lists.values()) rest -= list.length
  const waiting = reader?.hold(rest, isMade)
  if (waiting !== undefined) await waiting
  return text
}

async function joined(list: RawList, max: number, reader: AnswerReader | undefined): Promise<string> {
  // Added up, the texts are copied once, when the answer is written; each join would be a copy that waits to be collected.
  let all = ''
  let count = 0
  for await (const page of pagesOf(list, reader)) {
    reader?.refuseGone()
    if (page.length === 0) continue
    count += page.length
    if (count > max) throw tooMany(max)
    const text = takenFrom(page)
    const waiting = reader?.hold(Buffer.byteLength(text))
    if (waiting !== undefined) await waiting
    all += all === '' ? text : `,${text}`
  }
  return all
}

function tooMany(max: number): Failure {
  return new Failure('too-many-results', `The result has more than ${max} items.`, { limit: max })
}
