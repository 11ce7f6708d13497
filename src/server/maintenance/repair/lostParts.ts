/**
 * Estimates the contents of unreadable parts of files. References from other entries reveal most losses; records without
 * references are reported by family.
 */
import type { Problem } from '../../../store/check/findings.js'
import { keyFamilyLabels } from '../../../store/engine/keyFamilyLabels.js'
import type { LostPart } from '../../../store/repair/salvage.js'

/** Families of records without references that paired nodes have. */
const SYNCED = ['P', 'N', 'Z', 'a', 'v', 'y']
/** Families of records that never leave their node. */
const NODE_LOCAL = ['D', 'H', 'L', 'c', 'controlled', 'delegate', 'g', 'h', 'message', 'secret', 'w']

const END = '\u{10ffff}'

/** Returns the possible losses in unreadable parts. `isSince`: a backup has everything up to its creation. */
export function unseenIn(parts: readonly LostPart[], isSince: boolean): { problem: Problem; isSynced: boolean }[] {
  const unseen = new Map<string, { problem: Problem; isSynced: boolean }>()
  const since = isSince ? ' that were written since the backup' : ''
  for (const { file, from, to } of parts) {
    const account = /^([0-9a-z]+)\//.exec(from)?.[1]
    if (account === undefined || !to.startsWith(`${account}/`)) {
      const what = `lacks parts of ${file} that cannot be read; their contents${isSince ? ' since the backup' : ''} are unknown`
      unseen.set(file, { problem: { where: 'the store', what }, isSynced: false })
      continue
    }
    for (const [families, isSynced] of [[SYNCED, true], [NODE_LOCAL, false]] as const) {
      for (const family of families) {
        if (to < `${account}/${family}/` || from > `${account}/${family}/${END}`) continue
        const where = `account ${account}`
        const what = `may lack ${keyFamilyLabels[family] ?? family}${since}: a part of ${file} cannot be read`
        unseen.set(`${where} ${what}`, { problem: { where, what }, isSynced })
      }
    }
  }
  return [...unseen.values()]
}
