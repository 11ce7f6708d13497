/** Operator methods for profile sets of apps; apps access their own through the API. */
import type { NodeMethod } from '../control.js'
import { changeAppSet, readAppSet } from '../../profile/ofApp.js'
import { loadedOf } from './loaded.js'

export const profileMethods: Readonly<Record<string, NodeMethod>> = {
  async 'profiles.showApp'(node, params) {
    return readAppSet(node, await loadedOf(node, params), String(params['app'] ?? ''))
  },
  async 'profiles.updateApp'(node, params) {
    return changeAppSet(node, await loadedOf(node, params), String(params['app'] ?? ''), params['update'])
  },
}
