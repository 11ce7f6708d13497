/** Paths of the pages about people and apps, below the root of the pages. */

export const LINKS_PATH = '/access'
export const APPS_PATH = '/access/apps'
export const REQUESTS_PATH = '/access/requests'
export const CONSENTS_PATH = '/access/consents'
export const DELEGATIONS_PATH = '/access/delegations'
export const END_DELEGATION_PATH = '/access/delegations/end'
export const ONE_PATH = '/access/one'
export const CHANGE_PATH = '/access/change'
export const WITHDRAW_PATH = '/access/withdraw'
export const NEW_LINK_PATH = '/access/link/new'
export const LINK_PATH = '/access/link'
