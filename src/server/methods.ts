/** The list of all methods. Doors, documents and the command line are projections of it; nothing is registered twice. */
import { info as accessInfo } from './accesses/info.js'
import { eventTypesDirectory } from './assets.js'
import { login } from './auth/login.js'
import { logout } from './auth/logout.js'
import { callBatch } from './callBatch.js'
import { addAttachment } from './events/addAttachment.js'
import { create as createEvent } from './events/create.js'
import { remove as deleteEvent } from './events/delete.js'
import { deleteAttachment } from './events/deleteAttachment.js'
import { get as getEvents } from './events/get.js'
import { getAttachment } from './events/getAttachment.js'
import { getOne as getEvent } from './events/getOne.js'
import { preview } from './events/preview.js'
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
  addAttachment,
  callBatch(() => methods),
  checkEmail,
  checkUsername,
  createEvent,
  createStream,
  createUser,
  deleteAttachment,
  deleteEvent,
  deleteStream,
  deleteUser,
  eventTypesDirectory,
  getAttachment,
  getEvent,
  getEvents,
  getStreams,
  hostings,
  login,
  logout,
  openApi(() => methods),
  preview,
  serverOf,
  serviceInfo,
  serviceInfoOfAccount,
  toServer,
  uidOf,
  updateEvent,
  updateStream,
  usernameOf,
  ...removedMethods,
  ...waitingMethods,
]
