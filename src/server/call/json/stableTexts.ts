/**
 * Computes the stable texts of large stored values in the thread. A transaction is synchronous and only shows then which ones it
 * needs: it is aborted, and repeated once they are computed.
 */
import type { Event } from '../../../store/model/event.js'
import { JsonText } from '../../../store/model/jsonText.js'
import { inThread, noteDeferral } from './largeJsonThread.js'

/** Stable texts by the JSON texts of their values. */
export type StableTexts = ReadonlyMap<string, string>

class UnknownStableTexts extends Error {
  constructor(readonly texts: readonly string[]) {
    super('The stable texts of large values are not known.')
  }
}

/**
 * Runs a change; if it throws for unknown stable texts, which rolls it back, computes them and runs it again. Another change may
 * have replaced the values in between: retries a few times, and runs the last attempt without the thread.
 */
export async function withStableTexts<T>(run: (known: StableTexts | undefined) => Promise<T>): Promise<T> {
  const known = new Map<string, string>()
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      return await run(known)
    } catch (error) {
      if (!(error instanceof UnknownStableTexts)) throw error
      const { texts } = error
      const stable = await inThread({ kind: 'stable', texts })
      texts.forEach((text, i) => known.set(text, stable[i] ?? text))
    }
  }
  return run(undefined)
}

const MAX_TRIES = 3

/**
 * Sets the known stable texts of large values of an event.
 * @throws UnknownStableTexts
 */
export function applyStableTexts(event: Event, known: StableTexts): void {
  const unknown: string[] = []
  for (const value of [event.content, ...Object.values(event.clientData ?? {})]) {
    if (!(value instanceof JsonText) || value.hasStable) continue
    const stable = known.get(value.text)
    if (stable === undefined) unknown.push(value.text)
    else value.setStable(stable)
  }
  if (unknown.length === 0) return
  noteDeferral()
  throw new UnknownStableTexts(unknown)
}
