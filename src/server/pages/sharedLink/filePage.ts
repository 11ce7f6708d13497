/** A file of an event that a shared link opens. Its address contains no token. */
import { fileAnswer } from '../console/files/filePage.js'
import type { Page } from '../page.js'
import { SHARED_FILE_PATH, viewProblem } from './sharedFrame.js'
import { sharedVisit } from './views.js'

export const sharedFilePage: Page = {
  path: SHARED_FILE_PATH,
  isBeforeSignIn: true,
  async show(visit) {
    const shared = await sharedVisit(visit)
    return typeof shared === 'string' ? viewProblem(visit, shared) : fileAnswer(shared)
  },
}
