/** A copy of the store as it is at one moment, lent by the node, running or not. */
import { Secret } from '../../store/model/secret.js'
import type { Copy } from '../../server/transfer/sources.js'
import { textOf } from '../node/answer.js'
import type { Door } from '../node/door.js'

/** Borrows a copy for `use`, and gives it back whatever comes of it. */
export async function withLentCopy<T>(door: Door, use: (copy: Copy) => Promise<T>): Promise<T> {
  const lent = await door.call('backup.checkpoint', { pid: process.pid }, {})
  try {
    const key = new Secret<Uint8Array>(Buffer.from(textOf(lent['key']), 'hex'))
    return await use({ store: textOf(lent['store']), files: textOf(lent['files']), key })
  } finally {
    // A node that has stopped meanwhile drops what it lent when it starts again; what was made of the copy is good.
    await door.call('backup.release', { id: lent['id'] }, {}).catch(() => {})
  }
}
