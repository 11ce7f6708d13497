/** A copy of the store as it is at one moment, lent by the node, running or not. */
import { Secret } from '../../store/model/secret.js'
import type { Copy } from '../../server/accountTransfer/sources.js'
import { textOf } from '../client/answer.js'
import type { NodeClient } from '../client/nodeClient.js'

/** A copy for a backup: with its moment, and beginnings of the keys that may have changed since the one before. */
export interface MarkedCopy extends Copy {
  mark: string
  changed?: ReadonlySet<string>
}

/** Borrows a copy for `use`, and gives it back whatever comes of it. */
export const withNodeCopy = <T>(client: NodeClient, use: (copy: Copy) => Promise<T>): Promise<T> =>
  lend(client, {}, (shared) => use(copyIn(shared)))

/** Borrows a copy for a backup; `since` is the mark of the one before. */
export const withMarkedCopy = <T>(client: NodeClient, since: string | undefined, use: (copy: MarkedCopy) => Promise<T>): Promise<T> =>
  lend(client, { since: since ?? null }, (shared) => {
    const changed = shared['changed']
    return use({ ...copyIn(shared), mark: textOf(shared['mark']), ...(Array.isArray(changed) ? { changed: new Set(changed.map(String)) } : {}) })
  })

const copyIn = (shared: NodeCopy): Copy => ({
  store: textOf(shared['store']),
  files: textOf(shared['files']),
  key: new Secret<Uint8Array>(Buffer.from(textOf(shared['key']), 'hex')),
})

type NodeCopy = Record<string, unknown>

async function lend<T>(client: NodeClient, options: Record<string, unknown>, use: (shared: NodeCopy) => Promise<T>): Promise<T> {
  const shared = await client.call('backup.checkpoint', { pid: process.pid, ...options }, {})
  try {
    return await use(shared)
  } finally {
    // A node that has stopped meanwhile drops what it lent when it starts again; what was made of the copy is good.
    await client.call('backup.release', { id: shared['id'] }, {}).catch(() => {})
  }
}
