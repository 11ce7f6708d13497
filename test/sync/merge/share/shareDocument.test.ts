/** Tests of reverting stand-ins: copies of a version that a peer of a share sent before a mirror did. */
import { describe, expect, it } from 'vitest'
import { materialise } from '../../../../src/sync/crdt/document.js'
import { encodeChange, type FieldValue, type OpId } from '../../../../src/sync/crdt/encodeChange.js'
import { linksOf } from '../../../../src/sync/crdt/links.js'
import { withoutStandIns } from '../../../../src/sync/merge/share/shareDocument.js'

const ACTORS = { root: '10', here: '20', there: '30', copyOfThere: '40', copyOfHere: '50', later: '60' } as const
type Actor = keyof typeof ACTORS
const idOf = (actor: Actor): string => ACTORS[actor].repeat(16)

interface Edit {
  actor: Actor
  startOp: number
  deps: string[]
  body?: FieldValue
  /** Actors and counters of the values that it replaces. */
  pred?: [actor: Actor, counter: number][]
  message?: string
}

function edit({ actor, startOp, deps, body, pred = [], message = '' }: Edit): { bytes: Uint8Array; hash: string } {
  const before: OpId[] = pred.map(([other, counter]) => ({ counter, actor: idOf(other) }))
  return encodeChange({
    ...{ actor: idOf(actor), seq: 1, startOp, time: 1, deps, message },
    operations: [{ key: 'body', ...(body === undefined ? {} : { value: body }), pred: before }],
  })
}

/** Both mirrors changed the body; each received the version of the other through the peer first, as a stand-in. */
const root = edit({ actor: 'root', startOp: 1, deps: [], body: 'first' })
const here = edit({ actor: 'here', startOp: 2, deps: [root.hash], body: 'of here', pred: [['root', 1]] })
const there = edit({ actor: 'there', startOp: 2, deps: [root.hash], body: 'of there', pred: [['root', 1]] })
const copyOfThere = edit({ actor: 'copyOfThere', startOp: 3, deps: [here.hash], body: 'of there', pred: [['here', 2]] })
const copyOfHere = edit({ actor: 'copyOfHere', startOp: 3, deps: [there.hash], body: 'of here', pred: [['there', 2]] })
const shown = (actor: Actor): { bytes: Uint8Array; hash: string } => edit({ actor: 'root', startOp: 1, deps: [], body: actor, message: `host ${idOf(actor)}.1` })
const marks = { here: shown('here'), there: shown('there') }
const taken = { [marks.here.hash]: copyOfHere.hash, [marks.there.hash]: copyOfThere.hash }
const all = [root, here, there, copyOfThere, copyOfHere]

function bodyAfterRevert(changes: { bytes: Uint8Array }[]): FieldValue | undefined {
  const bytes = changes.map((change) => change.bytes)
  const revert = withoutStandIns({ own: linksOf(bytes), there: linksOf([marks.here.bytes, marks.there.bytes]), side: 'host' }, taken)
  return materialise(revert === undefined ? bytes : [...bytes, revert]).fields['body']
}

describe('reverting stand-ins', () => {
  it('shows the original, which the stand-in copied', () =>
    expect(bodyAfterRevert([root, here, there, copyOfThere])).toBe('of there'))

  it('keeps a value where two mirrors replaced each other\'s by stand-ins: the later of the originals', () => {
    expect(Object.keys(materialise(all.map(({ bytes }) => bytes)).conflicts)).toEqual(['body'])
    expect(bodyAfterRevert(all)).toBe('of there')
  })

  it('keeps the value of a later change', () => {
    const later = edit({ actor: 'later', startOp: 4, deps: [copyOfHere.hash, copyOfThere.hash], body: 'later', pred: [['copyOfThere', 3], ['copyOfHere', 3]] })
    expect(bodyAfterRevert([...all, later])).toBe('later')
  })

  it('removes a value that a later change of the originals removed', () => {
    const removal = edit({ actor: 'later', startOp: 3, deps: [there.hash, here.hash], pred: [['here', 2], ['there', 2]] })
    expect(bodyAfterRevert([...all, removal])).toBeUndefined()
  })
})
