/** Path of the API reference, below the root of the pages. */
export const API_PAGE = '/api'
