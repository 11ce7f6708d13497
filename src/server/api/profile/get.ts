import * as z from 'zod'
import { dependingOnTarget } from '../../call/callers.js'
import { method, type TokenMethod } from '../../call/method.js'
import { profileReaders, ProfileView, readSet, setNamed, type ProfileSet } from './sets.js'

const auth = z.string().optional()
const output = () => ProfileView

/** Builds a route that reads a profile set. See docs/interface/profile.md#sets. */
const reading = (id: string, set: ProfileSet, summary: string): TokenMethod<unknown> =>
  method({
    id,
    summary,
    http: { verb: 'GET', path: `/profile/${set}` },
    caller: profileReaders[set],
    input: z.strictObject({ auth }),
    output,
    fails: ['invalid-parameters-format', ...(set === 'app' ? (['invalid-operation'] as const) : [])],
    run: (call) => readSet(call, set),
  })

export const getPublic = reading('profile.getPublic', 'public', 'Reads the public profile set.')
export const getPrivate = reading('profile.getPrivate', 'private', "Reads the owner's private profile set.")
export const getApp = reading('profile.getApp', 'app', 'Reads the profile set of the calling app.')

/** Route that reads the set named by a parameter (docs/interface/profile.md#sets). */
export const get = method({
  id: 'profile.get',
  summary: 'Reads a profile set: public, private or app.',
  http: { verb: 'GET', path: '/profile/:id' },
  caller: dependingOnTarget('Any access for the set public, personal access for private, app access for app'),
  input: z.strictObject({ id: z.string().describe('Profile set: public, private or app.'), auth }),
  output,
  fails: ['invalid-parameters-format', 'unknown-resource', 'invalid-operation'],
  run(call, { id }) {
    const set = setNamed(id)
    profileReaders[set].assertAllows(call)
    return readSet(call, set)
  },
})
