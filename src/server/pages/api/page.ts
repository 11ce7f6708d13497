/** The reference of the API for people: `/web/api`, and a page for each group of methods. */
import type { Page } from '../page.js'
import { API_PAGE } from './path.js'

export const apiPage: Page = {
  path: API_PAGE,
  isBeforeSignIn: true,
  // The reference is built from all schemas: few people ask for it, and a node starts without it.
  async show(visit) {
    const { apiView } = await import('./views.js')
    return apiView(visit)
  },
}
