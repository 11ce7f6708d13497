/** Operator methods for profile sets of apps; apps access their own through the API. */
import * as z from 'zod'
import { changeAppSet, readAppSet } from '../../api/profile/ofApp.js'
import { ProfileUpdate, ProfileView } from '../../api/profile/sets.js'
import { operatorMethod } from '../operatorMethod.js'
import { loadedOf, OfAccount } from './loaded.js'

const OfApp = { ...OfAccount, app: z.string().describe('Id of the app: the name of its accesses.') }

const show = operatorMethod({
  id: 'profiles.showApp',
  summary: 'Returns the profile set of an app.',
  input: z.strictObject(OfApp),
  output: () => ProfileView,
  fails: ['unknown-user', 'unknown-resource', 'invalid-operation'],
  run: async ({ node }, { username, app }) => readAppSet(node, await loadedOf(node, { username }), app),
})

const update = operatorMethod({
  id: 'profiles.updateApp',
  summary: 'Changes keys of the profile set of an app; returns the whole set.',
  input: z.strictObject({ ...OfApp, update: ProfileUpdate.describe('New values by key; null removes a key.') }),
  output: () => ProfileView,
  fails: ['unknown-user', 'unknown-resource', 'invalid-operation'],
  run: async ({ node }, { username, app, update: keys }) => changeAppSet(node, await loadedOf(node, { username }), app, keys),
})

export const profileMethods = [show, update] as const
