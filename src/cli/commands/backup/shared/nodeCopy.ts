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
  lend(client, {}, (shared) => use(copyIn(shared)))

/** Requests a copy for a backup; `since` is the mark of the last backup. */
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
    // A node that was stopped removes its copies at the next start; the result of `use` is still valid.
    await client.call('backup.release', { id: shared.id }, {}).catch(() => {})
  }
}
