/** Stores to export accounts from: a running node's, or a copy. */
import { join } from 'node:path'
import { openStore } from '../../store/engine/open.js'
import type { Secret } from '../../store/model/secret.js'
import { createSeal } from '../../store/keyring/seal.js'
import type { Context } from '../call/context.js'
import { productVersion } from '../base/version.js'
import { accountNamed } from './exportAccount.js'
import type { ExportSource, ReadAccount } from './exportContext.js'

/**
 * Runs `work` with the open store of a node and one account, whose files are not removed meanwhile.
 * @throws Failure `unknown-user`
 */
export async function withNode<T>(
  node: Pick<Context, 'store' | 'clock'>,
  username: string,
  work: (source: ExportSource, account: ReadAccount) => Promise<T>,
): Promise<T> {
  const { db, seal, format, blobs } = node.store
  const pathOf = (account: string, sha256: string): string => blobs.pathOf(account, sha256)
  const source: ExportSource = { db, seal, format, pathOf, now: () => node.clock.now(), product: productVersion() }
  const account = accountNamed(source, username)
  return blobs.withFilesOf(account.prefix, () => work(source, account))
}

/** Paths of a store copy that no one else opens, and its node's key. */
export interface Copy {
  store: string
  files: string
  key: Secret<Uint8Array>
}

/** Opens a copy of a store while `work` runs. `now` in seconds. */
export async function withCopy<T>({ store, files, key }: Copy, now: () => number, work: (source: ExportSource) => Promise<T>): Promise<T> {
  const opened = await openStore({ folder: store, now })
  try {
    const { db, format } = opened
    const pathOf = (account: string, sha256: string): string => join(files, account, sha256.slice(0, 2), sha256)
    return await work({ db, seal: await createSeal(key), format, pathOf, now, product: productVersion() })
  } finally {
    await opened.close()
  }
}
