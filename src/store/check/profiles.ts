/** Profile sets, whose records say where their changes are. */
import { isProfileId } from '../model/profile.js'
import { textToProfile, type KeptProfile } from '../profiles.js'
import { textOf, type CheckContext, type Entry } from './demand.js'

/** The profile set of a record: `<id>`; undefined, and a report, when it is none. */
export function readProfile({ findings }: CheckContext, entry: Entry): KeptProfile | undefined {
  findings.count('profiles')
  const { account, rest: id } = entry
  try {
    const kept = textToProfile(id, textOf(entry))
    if (isProfileId(id) && isSound(kept)) return kept
  } catch {
    // Reported below: a text that is no record.
  }
  findings.report(`account ${account}, profile ${id}`, 'has a record that cannot be read')
  return undefined
}

const isSound = ({ profile: { keys, modified }, sequence }: KeptProfile): boolean =>
  Number.isFinite(modified) && sequence > 0 && typeof keys === 'object' && keys !== null && !Array.isArray(keys)
