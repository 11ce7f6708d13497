import * as z from 'zod'
import { Failure } from '../../store/model/failure.js'
import { parseInput } from '../../store/model/validation.js'
import { grow } from '../change.js'
import { method, type Call } from '../method.js'
import { makeAccess, refuseUnmakeable } from './make.js'
import { isCreateOnlyCaller } from './rules.js'
import { AccessView, GrantedPermissions, NewAccess } from './schema.js'
import { viewOf } from './view.js'

/** Specification, "Access"; data supplement 6.4. */
export const create = method({
  id: 'accesses.create',
  summary: 'Gives access to an app, or shares with somebody.',
  http: { verb: 'POST', path: '/accesses' },
  input: NewAccess,
  output: z.object({ access: AccessView }),
  status: 201,
  staging: true,
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'invalid-item-id',
    'invalid-operation',
    'item-already-exists',
    'api-unavailable',
    'forbidden',
    'user-intervention-required',
  ],
  run(call, asked) {
    const { type = 'shared' } = asked
    if (type === 'personal') throw new Failure('forbidden', 'Personal accesses are made by logging in.')
    parseInput(GrantedPermissions, asked)
    const { permissions = [] } = asked
    const wanted = { ...asked, permissions }
    refuseCaller(call, type)
    refuseUnmakeable(call, type, wanted)
    return grow(call, (t) => ({ access: viewOf(call, makeAccess(call, t, type, wanted)) }))
  },
})

/** Refuses those that give no accesses: shared accesses, holders of nothing but `create-only`, apps beyond sharing. */
function refuseCaller(call: Call, type: 'app' | 'shared'): void {
  const { access } = call.caller
  if (access.type === 'personal') return
  if (access.type === 'shared') throw new Failure('forbidden', 'Shared accesses cannot give accesses.')
  if (isCreateOnlyCaller(call)) throw new Failure('forbidden', 'An access that may only create gives no accesses.')
  if (type !== 'shared') throw new Failure('forbidden', 'Apps can only make shared accesses.')
}
