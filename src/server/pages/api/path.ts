/** The path of the API reference, below that of the pages. */
export const API_PAGE = '/api'
