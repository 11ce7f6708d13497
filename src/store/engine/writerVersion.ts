/** Version of coffer in the format record: an earlier version that does not know the format names it. */
import { nodeKeys } from './keys.js'
import type { OpenedStore } from './open.js'

/** Records the version that opens a store to write to it. Writes only if another one is recorded. */
export async function recordWriter({ db, committer }: Pick<OpenedStore, 'db' | 'committer'>, writer: string): Promise<void> {
  // Read again: a migration may have written it since the store was opened.
  const record = JSON.parse(db.get(nodeKeys.format) ?? '{}') as { writer?: string }
  if (record.writer === writer) return
  await committer.stage({ operations: new Map([[nodeKeys.format, JSON.stringify({ ...record, writer })]]), entries: [], sync: true })
}
