/** The API reference: `/web/api`, with a page for each group of methods. */
import type { Page } from '../page.js'
import { API_PAGE } from './path.js'

export const apiPage: Page = {
  path: API_PAGE,
  isBeforeSignIn: true,
  // Load the reference on demand: it is built from all schemas and rarely requested.
  async show(visit) {
    const { apiView } = await import('./views.js')
    return apiView(visit)
  },
}
