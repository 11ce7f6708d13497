/** Merges profile registers from mirrors (store/model/profileRegisters.ts). */
import { isTooDeep, MAX_JSON_DEPTH } from '../../store/model/jsonDepth.js'
import { isTombstoneName, isStamp, type Register } from '../../store/model/profileRegisters.js'
import { mergeRegisters, findProfileToEdit } from '../../store/accounts/profiles.js'
import type { Outcome, ProfileEntry } from '../wire/entry.js'
import { applied, known, refusal, type MergeStep } from './context.js'
import { MAX_ENTRY_BYTES, MAX_OPERATIONS } from '../wire/limits.js'
import { idObjectionOf, invalid, profileObjection, type Objection } from '../crdt/validate.js'

const tooLarge = (message: string): Objection => ({ reason: 'too-large', message })

/** Merges all registers of an entry, or refuses the entry. */
export function mergeProfile({ t, from, options }: MergeStep, entry: ProfileEntry): Outcome {
  const objection = registersObjection(entry)
  if (objection !== undefined) return refusal(objection)
  const { id, modified, registers } = entry
  const former = findProfileToEdit(t, options.store.recorder, id)
  return mergeRegisters(t, id, former, { modified, registers }, from.peer) ? applied : known
}

/** Returns why an entry is invalid; undefined when it is valid. */
function registersObjection({ id, modified, registers }: ProfileEntry): Objection | undefined {
  const objection = idObjectionOf('profile', id)
  if (objection !== undefined) return objection
  if (!Number.isFinite(modified)) return invalid('Its time is invalid.')
  if (registers.length > MAX_OPERATIONS) return tooLarge(`At most ${MAX_OPERATIONS} keys are exchanged at once.`)
  for (const register of registers) {
    const wrong = registerObjection(id, register)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function registerObjection(id: string, register: Register): Objection | undefined {
  if (!isStamp(register)) return invalid('The stamp of a key is invalid.')
  if ('removed' in register) return isTombstoneName(register.removed) ? undefined : invalid('The name of a removed key is invalid.')
  const { key, text } = register
  const objection = profileObjection({ id, keys: { [key]: true } })
  if (objection !== undefined) return objection
  if (text.length > MAX_ENTRY_BYTES) return tooLarge('One of its keys exceeds the size limit of sync.')
  if (isTooDeep(text)) return invalid(`A value is nested more than ${MAX_JSON_DEPTH} levels deep.`)
  return isPlain(text) ? undefined : invalid('A value is not JSON in canonical form.')
}

/** Checks whether a text is JSON as `JSON.stringify` writes it: reads return it as is. */
function isPlain(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text
  } catch {
    return false
  }
}
