import * as z from 'zod'
import { dependingOnTarget } from '../../call/callers.js'
import { method, type TokenMethod } from '../../call/method.js'
import { changeSet, profileWriters, ProfileUpdate, ProfileView, setNamed, type ProfileSet } from './sets.js'

const output = () => ProfileView

/** Builds a route that changes a profile set. See docs/interface/profile.md#sets. */
const changing = (id: string, set: ProfileSet, summary: string): TokenMethod<unknown> =>
  method({
    id,
    summary,
    http: { verb: 'PUT', path: `/profile/${set}`, body: 'update' },
    caller: profileWriters[set],
    freeForm: { values: '*' },
    input: z.strictObject({ update: ProfileUpdate.describe('Keys to set, with any JSON as values; a key with null is removed.') }),
    output,
    synchronous: true,
    fails: ['invalid-parameters-format', 'user-intervention-required', ...(set === 'public' ? [] : (['invalid-operation'] as const))],
    run: (call, { update: keys }) => changeSet(call, set, keys),
  })

export const updatePublic = changing('profile.updatePublic', 'public', 'Changes keys of the public profile set.')
export const updatePrivate = changing('profile.updatePrivate', 'private', "Changes keys of the owner's private profile set.")
export const updateApp = changing('profile.updateApp', 'app', 'Changes keys of the profile set of the calling app.')

/** Route that changes the set named by a parameter (docs/interface/profile.md#sets). */
export const update = method({
  id: 'profile.update',
  summary: 'Changes keys of a profile set: public, private or app.',
  http: { verb: 'PUT', path: '/profile/:id', body: 'update' },
  caller: dependingOnTarget('Personal access for the sets public and private, app access for app'),
  freeForm: { values: '*' },
  input: z.strictObject({
    id: z.string().describe('Profile set: public, private or app.'),
    update: ProfileUpdate.describe('Keys to set, with any JSON as values; a key with null is removed.'),
  }),
  output,
  synchronous: true,
  fails: ['invalid-parameters-format', 'unknown-resource', 'invalid-operation', 'user-intervention-required'],
  run(call, { id, update: keys }) {
    const set = setNamed(id)
    profileWriters[set].assertAllows(call)
    return changeSet(call, set, keys)
  },
})
