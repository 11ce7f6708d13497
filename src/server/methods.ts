/** The list of all methods. Doors, documents and the command line are projections of it; nothing is registered twice. */
import { checkApp } from './accesses/checkApp.js'
import { create as createAccess } from './accesses/create.js'
import { remove as deleteAccess } from './accesses/delete.js'
import { get as getAccesses } from './accesses/get.js'
import { getOne as getAccess } from './accesses/getOne.js'
import { info as accessInfo } from './accesses/info.js'
import { update as updateAccess } from './accesses/update.js'
import { eventTypesDirectory } from './assets.js'
import { login } from './auth/login.js'
import { logout } from './auth/logout.js'
import { callBatch } from './callBatch.js'
import { create as createEvent } from './events/create.js'
import { remove as deleteEvent } from './events/delete.js'
import { get as getEvents } from './events/get.js'
import { getOne as getEvent } from './events/getOne.js'
import { update as updateEvent } from './events/update.js'
import type { Method } from './method.js'
import { openApi } from './openapi.js'
import { createUser } from './register/createUser.js'
import { deleteUser } from './register/deleteUser.js'
import { hostings } from './register/hostings.js'
import { checkEmail, checkUsername, serverOf, toServer, uidOf, usernameOf } from './register/lookups.js'
import { removedMethods } from './removed.js'
import { ofAccount as serviceInfoOfAccount, ofNode as serviceInfo } from './serviceInfo/get.js'
import { create as createStream } from './streams/create.js'
import { remove as deleteStream } from './streams/delete.js'
import { get as getStreams } from './streams/get.js'
import { update as updateStream } from './streams/update.js'
import { waitingMethods } from './waiting.js'

export const methods: readonly Method[] = [
  accessInfo,
  callBatch(() => methods),
  checkApp,
  checkEmail,
  checkUsername,
  createAccess,
  createEvent,
  createStream,
  createUser,
  deleteAccess,
  deleteEvent,
  deleteStream,
  deleteUser,
  eventTypesDirectory,
  getAccess,
  getAccesses,
  getEvent,
  getEvents,
  getStreams,
  hostings,
  login,
  logout,
  openApi(() => methods),
  serverOf,
  serviceInfo,
  serviceInfoOfAccount,
  toServer,
  uidOf,
  updateAccess,
  updateEvent,
  updateStream,
  usernameOf,
  ...removedMethods,
  ...waitingMethods,
]
