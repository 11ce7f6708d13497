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
import { update as updateEvent } from './events/update.js'
import { create as createSlice } from './followedSlices/create.js'
import { remove as deleteSlice } from './followedSlices/delete.js'
import { get as getSlices } from './followedSlices/get.js'
import { update as updateSlice } from './followedSlices/update.js'
import type { Method } from './method.js'
import { openApi } from './openapi.js'
import { get as getProfile, getApp, getPrivate, getPublic } from './profile/get.js'
import { update as updateProfile, updateApp, updatePrivate, updatePublic } from './profile/update.js'
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
  createSlice,
  createStream,
  createUser,
  deleteAttachment,
  deleteEvent,
  deleteSlice,
  deleteStream,
  deleteUser,
  eventTypesDirectory,
  getApp,
  getAttachment,
  getEvent,
  getEvents,
  getPrivate,
  getProfile,
  getPublic,
  getSlices,
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
  updateApp,
  updateEvent,
  updatePrivate,
  updateProfile,
  updatePublic,
  updateSlice,
  updateStream,
  usernameOf,
  ...removedMethods,
  ...waitingMethods,
]
