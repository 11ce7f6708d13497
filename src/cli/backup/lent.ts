/** A copy of the store as it is at one moment, lent by the node, running or not. */
import { Secret } from '../../store/model/secret.js'
import type { Copy } from '../../server/transfer/sources.js'
import { textOf } from '../node/answer.js'
import type { Door } from '../node/door.js'

/** A copy for a backup: with its moment, and beginnings of the keys that may have changed since the one before. */
export interface MarkedCopy extends Copy {
  mark: string
  changed?: ReadonlySet<string>
}

/** Borrows a copy for `use`, and gives it back whatever comes of it. */
export const withLentCopy = <T>(door: Door, use: (copy: Copy) => Promise<T>): Promise<T> =>
  lend(door, {}, (lent) => use(copyIn(lent)))

/** Borrows a copy for a backup; `since` is the mark of the one before. */
export const withMarkedCopy = <T>(door: Door, since: string | undefined, use: (copy: MarkedCopy) => Promise<T>): Promise<T> =>
  lend(door, { since: since ?? null }, (lent) => {
    const changed = lent['changed']
    return use({ ...copyIn(lent), mark: textOf(lent['mark']), ...(Array.isArray(changed) ? { changed: new Set(changed.map(String)) } : {}) })
  })

const copyIn = (lent: Lent): Copy => ({
  store: textOf(lent['store']),
  files: textOf(lent['files']),
  key: new Secret<Uint8Array>(Buffer.from(textOf(lent['key']), 'hex')),
})

type Lent = Record<string, unknown>

async function lend<T>(door: Door, asked: Record<string, unknown>, use: (lent: Lent) => Promise<T>): Promise<T> {
  const lent = await door.call('backup.checkpoint', { pid: process.pid, ...asked }, {})
  try {
    return await use(lent)
  } finally {
    // A node that has stopped meanwhile drops what it lent when it starts again; what was made of the copy is good.
    await door.call('backup.release', { id: lent['id'] }, {}).catch(() => {})
  }
}
