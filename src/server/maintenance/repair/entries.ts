/** Entries that a repaired store is built from: salvaged ones, and those of a backup. */
import type { Archive } from '../../../store/backup/archive.js'
import { writeEntries } from '../../../store/backup/restore.js'
import { openDatabase, type Database } from '../../../store/engine/database.js'
import { fillDraft, OtherHistory, type Backup, type FilledDraft } from '../../../store/repair/draft.js'
import type { Salvage } from '../../../store/repair/salvage.js'

/** Writes the entries of a backup into a separate database in a new folder. The caller closes it. */
export async function openBackup(archive: Archive, folder: string): Promise<Backup> {
  const db = await openDatabase(folder, { create: true })
  try {
    for (const member of archive.members) if (member.kind === 'entries') await writeEntries(archive, member, db)
    return { archive, db }
  } catch (error) {
    await db.close()
    throw error
  }
}

/**
 * Fills the new store. A backup of a different store contributes no entries, but may contribute attached files, which are
 * content-addressed; it is rejected only once entries turn out to be needed.
 */
export async function fill(db: Database, salvage: Salvage, backup: Backup | undefined): Promise<{ filled: FilledDraft; other: OtherHistory | undefined }> {
  try {
    return { filled: await fillDraft(db, salvage, backup), other: undefined }
  } catch (error) {
    // Thrown before anything is written.
    if (!(error instanceof OtherHistory) || salvage.damage.length > 0) throw error
    return { filled: await fillDraft(db, salvage, undefined), other: error }
  }
}

/** Checks whether a store has no account: an empty node must not replace a lost one. */
export async function isEmpty(db: Database): Promise<boolean> {
  const source = db.keys({ gte: '1', lt: '~' }, { limit: 1 })
  const first = await source.next(1)
  await source.close()
  return first.length === 0
}
