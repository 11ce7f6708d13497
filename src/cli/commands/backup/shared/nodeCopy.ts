/** A snapshot copy of the store, provided by the node, running or not. */
import { Secret } from '../../../../store/model/secret.js'
import type { Copy } from '../../../../server/accountTransfer/sources.js'
import { textOf } from '../../../client/answer.js'
import type { NodeClient } from '../../../client/nodeClient.js'

/** A copy for a backup, with its mark and the prefixes of the keys that may have changed since the last backup. */
interface MarkedCopy extends Copy {
  mark: string
  changed?: ReadonlySet<string>
}

/** Requests a copy for `use`, and releases it in all cases. */
export const withNodeCopy = <T>(client: NodeClient, use: (copy: Copy) => Promise<T>): Promise<T> =>
  withCheckpoint(client, {}, (checkpoint) => use(copyIn(checkpoint)))

/** Requests a copy for a backup; `since` is the mark of the last backup. */
export const withMarkedCopy = <T>(client: NodeClient, since: string | undefined, use: (copy: MarkedCopy) => Promise<T>): Promise<T> =>
  withCheckpoint(client, { since: since ?? null }, (checkpoint) => {
    const changed = checkpoint['changed']
    return use({ ...copyIn(checkpoint), mark: textOf(checkpoint['mark']), ...(Array.isArray(changed) ? { changed: new Set(changed.map(String)) } : {}) })
  })

const copyIn = (checkpoint: NodeCopy): Copy => ({
  store: textOf(checkpoint['store']),
  files: textOf(checkpoint['files']),
  key: new Secret<Uint8Array>(Buffer.from(textOf(checkpoint['key']), 'hex')),
})

type NodeCopy = Record<string, unknown>

async function withCheckpoint<T>(client: NodeClient, options: Record<string, unknown>, use: (checkpoint: NodeCopy) => Promise<T>): Promise<T> {
  const checkpoint = await client.call('backup.checkpoint', { pid: process.pid, ...options }, {})
  try {
    return await use(checkpoint)
  } finally {
    // A node that was stopped removes its copies at the next start; the result of `use` is still valid.
    await client.call('backup.release', { id: checkpoint.id }, {}).catch(() => {})
  }
}
