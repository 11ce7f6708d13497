/** The list of all methods. Routes, documentation and the command line derive from it. */
import { ask } from './accessRequests/ask.js'
import { decide } from './accessRequests/decide.js'
import { poll } from './accessRequests/poll.js'
import { show as systemAccessRequest } from './accessRequests/show.js'
import { checkApp } from './accesses/checkApp.js'
import { create as createAccess } from './accesses/create.js'
import { remove as deleteAccess } from './accesses/delete.js'
import { get as getAccesses } from './accesses/get.js'
import { getOne as getAccess } from './accesses/getOne.js'
import { info as accessInfo } from './accesses/info.js'
import { update as updateAccess } from './accesses/update.js'
import { changePassword } from './account/changePassword.js'
import { changeUsername } from './account/changeUsername.js'
import { get as getAccount } from './account/get.js'
import { requestPasswordReset } from './account/requestPasswordReset.js'
import { resetPassword } from './account/resetPassword.js'
import { update as updateAccount } from './account/update.js'
import { usernameChanges } from './account/usernameChanges.js'
import { verifyEmail } from './account/verifyEmail.js'
import { assetDefinitions } from './assets/definitions.js'
import { eventTypesDirectory } from './assets/eventTypes.js'
import { defaultStyles, favicon } from './assets/look.js'
import { buttonHtml, buttonMessages, buttonStyles } from './assets/signInButton.js'
import { endSessions } from './auth/endSessions.js'
import { login } from './auth/login.js'
import { logout } from './auth/logout.js'
import { sessions } from './auth/sessions.js'
import { ssoCallback } from './auth/sso/callback.js'
import { ssoProviders } from './auth/sso/providers.js'
import { ssoStart } from './auth/sso/start.js'
import { callBatch } from '../dispatch/callBatch.js'
import { acceptAttach } from './delegations/acceptAttach.js'
import { acceptComplete } from './delegations/acceptComplete.js'
import { acceptResponse } from './delegations/acceptResponse.js'
import { cancelInvite } from './delegations/cancelInvite.js'
import { createAccount as createControlled } from './delegations/createAccount.js'
import { detachDelegate } from './delegations/detachDelegate.js'
import { dismissControlled } from './delegations/dismissControlled.js'
import { getToken as getDelegateToken } from './delegations/getToken.js'
import { issueToken } from './delegations/issueToken.js'
import { listControlled } from './delegations/listControlled.js'
import { listDelegates } from './delegations/listDelegates.js'
import { notifyDetach } from './delegations/notifyDetach.js'
import { receiveAccount } from './delegations/receiveAccount.js'
import { receiveInvite } from './delegations/receiveInvite.js'
import { refuseAttach } from './delegations/refuseAttach.js'
import { refuseResponse } from './delegations/refuseResponse.js'
import { release as releaseDelegate } from './delegations/release.js'
import { requestAttach } from './delegations/requestAttach.js'
import { acceptPairing } from './devices/acceptPairing.js'
import { cancelPairing } from './devices/cancelPairing.js'
import { confirmPairing } from './devices/confirmPairing.js'
import { conflicts as deviceConflicts } from './devices/conflicts.js'
import { remove as deleteDevice } from './devices/delete.js'
import { get as getDevices } from './devices/get.js'
import { history as deviceHistory } from './devices/history.js'
import { pairings as devicePairings } from './devices/pairings.js'
import { startPairing } from './devices/startPairing.js'
import { update as updateDevice } from './devices/update.js'
import { addAttachment } from './events/addAttachment.js'
import { create as createEvent } from './events/create.js'
import { remove as deleteEvent } from './events/delete.js'
import { deleteAttachment } from './events/deleteAttachment.js'
import { get as getEvents } from './events/get.js'
import { getAttachment } from './events/getAttachment.js'
import { getOne as getEvent } from './events/getOne.js'
import { preview } from './events/preview.js'
import { summary as eventSummary } from './events/summary.js'
import { update as updateEvent } from './events/update.js'
import { create as createSlice } from './followedSlices/create.js'
import { remove as deleteSlice } from './followedSlices/delete.js'
import { get as getSlices } from './followedSlices/get.js'
import { update as updateSlice } from './followedSlices/update.js'
import type { Method, MethodTypes } from '../call/method.js'
import { metrics } from '../metrics/get.js'
import { activate } from './mfa/activate.js'
import { adminReset as resetMfa } from './mfa/adminReset.js'
import { challenge } from './mfa/challenge.js'
import { confirm as confirmMfa } from './mfa/confirm.js'
import { deactivate } from './mfa/deactivate.js'
import { recover } from './mfa/recover.js'
import { verify } from './mfa/verify.js'
import { accept as oauthAccept } from './oauth/accept.js'
import { authorize as oauthAuthorize } from './oauth/authorize.js'
import { metadata as oauthMetadata } from './oauth/metadata.js'
import { refuse as oauthRefuse } from './oauth/refuse.js'
import { token as oauthToken } from './oauth/token.js'
import { openApi } from './openapi.js'
import { get as getProfile, getApp, getPrivate, getPublic } from './profile/get.js'
import { update as updateProfile, updateApp, updatePrivate, updatePublic } from './profile/update.js'
import { app, apps } from './register/apps.js'
import { cores } from './register/cores.js'
import { createUser } from './register/createUser.js'
import { deleteUser } from './register/deleteUser.js'
import { emailChallenge, emailChallengeVerify } from './register/emailChallenge.js'
import { hostings } from './register/hostings.js'
import { checkInvitation, getInvitations, postInvitations } from './register/invitationRoutes.js'
import { checkEmail, checkUsername, serverOf, toServer, uidOf, usernameOf } from './register/lookups.js'
import { deleteRecords, setRecords } from './register/records.js'
import { goneMethods } from './goneMethods.js'
import { add as addPoints } from './series/add.js'
import { batch as addPointsToSeveral } from './series/batch.js'
import { get as getPoints } from './series/get.js'
import { summary as summarizePoints } from './series/summary.js'
import { create as createSharedSecret } from './sharedSecrets/create.js'
import { getOne as getSharedSecret } from './sharedSecrets/getOne.js'
import { retrieve as retrieveSharedSecret } from './sharedSecrets/retrieve.js'
import { ofAccount as serviceInfoOfAccount, ofNode as serviceInfo } from './serviceInfo/get.js'
import { create as createStream } from './streams/create.js'
import { remove as deleteStream } from './streams/delete.js'
import { get as getStreams } from './streams/get.js'
import { summary as streamSummary } from './streams/summary.js'
import { update as updateStream } from './streams/update.js'
import { accessIndex } from './system/accessIndex.js'
import { ackCore } from './system/ackCore.js'
import { certs, forceRenew } from './system/certs.js'
import { cores as systemCores } from './system/cores.js'
import { createUser as createUserByOperator } from './system/createUser.js'
import {
  mailTemplate,
  mailTemplates,
  removeMailTemplate,
  removeMailTemplates,
  setMailTemplate,
} from './system/mailTemplates.js'
import { sendTestMail } from './system/sendTestMail.js'
import { platformIntegrity } from './system/platformIntegrity.js'
import { renameServer, servers, serverUsers } from './system/servers.js'
import { unregisterUser } from './system/unregisterUser.js'
import { updateUser } from './system/updateUser.js'
import { userInfo } from './system/userInfo.js'
import { list as listRegistered, show as showRegistered } from './system/users.js'
import { validateUser } from './system/validateUser.js'
import { create as createWebhook } from '../webhooks/create.js'
import { remove as deleteWebhook } from '../webhooks/delete.js'
import { get as getWebhooks } from '../webhooks/get.js'
import { getOne as getWebhook } from '../webhooks/getOne.js'
import { test as testWebhook } from '../webhooks/test.js'
import { update as updateWebhook } from '../webhooks/update.js'
import type { Node } from '../index.js'

/** The methods with their own types; `methods` is the same list without them. */
const typedMethods = [
  acceptAttach,
  acceptComplete,
  acceptPairing,
  acceptResponse,
  accessIndex,
  accessInfo,
  ackCore,
  activate,
  addAttachment,
  addPoints,
  addPointsToSeveral,
  app,
  apps,
  ask,
  assetDefinitions,
  buttonHtml,
  buttonMessages,
  buttonStyles,
  callBatch(() => methods),
  cancelInvite,
  cancelPairing,
  certs,
  challenge,
  changePassword,
  changeUsername,
  checkApp,
  checkEmail,
  checkInvitation,
  checkUsername,
  confirmMfa,
  confirmPairing,
  cores,
  createAccess,
  createControlled,
  createEvent,
  createSharedSecret,
  createSlice,
  createStream,
  createUser,
  createUserByOperator,
  createWebhook,
  deactivate,
  decide,
  defaultStyles,
  deleteAccess,
  deleteAttachment,
  deleteDevice,
  deleteEvent,
  deleteRecords,
  deleteSlice,
  deleteStream,
  deleteUser,
  deleteWebhook,
  detachDelegate,
  deviceConflicts,
  deviceHistory,
  devicePairings,
  dismissControlled,
  emailChallenge,
  emailChallengeVerify,
  endSessions,
  eventSummary,
  eventTypesDirectory,
  favicon,
  forceRenew,
  getAccess,
  getAccesses,
  getAccount,
  getApp,
  getAttachment,
  getDelegateToken,
  getDevices,
  getEvent,
  getEvents,
  getInvitations,
  getPoints,
  getPrivate,
  getProfile,
  getPublic,
  getSharedSecret,
  getSlices,
  getStreams,
  getWebhook,
  getWebhooks,
  hostings,
  issueToken,
  listControlled,
  listDelegates,
  listRegistered,
  login,
  logout,
  mailTemplate,
  mailTemplates,
  metrics,
  notifyDetach,
  oauthAccept,
  oauthAuthorize,
  oauthMetadata,
  oauthRefuse,
  oauthToken,
  openApi(() => methods),
  platformIntegrity,
  postInvitations,
  poll,
  preview,
  receiveAccount,
  receiveInvite,
  recover,
  refuseAttach,
  refuseResponse,
  releaseDelegate,
  removeMailTemplate,
  removeMailTemplates,
  renameServer,
  requestAttach,
  requestPasswordReset,
  resetMfa,
  resetPassword,
  retrieveSharedSecret,
  sendTestMail,
  serverOf,
  servers,
  serverUsers,
  serviceInfo,
  serviceInfoOfAccount,
  sessions,
  setMailTemplate,
  setRecords,
  showRegistered,
  ssoCallback,
  ssoProviders,
  ssoStart,
  startPairing,
  streamSummary,
  summarizePoints,
  systemAccessRequest,
  systemCores,
  testWebhook,
  toServer,
  uidOf,
  unregisterUser,
  updateAccess,
  updateAccount,
  updateApp,
  updateDevice,
  updateEvent,
  updatePrivate,
  updateProfile,
  updatePublic,
  updateSlice,
  updateStream,
  updateUser,
  updateWebhook,
  userInfo(() => methods),
  usernameChanges,
  usernameOf,
  validateUser,
  verify,
  verifyEmail,
  ...goneMethods,
] as const

export const methods: readonly Method<Node>[] = typedMethods

/** Parameters and results of the API methods, by method id. */
export type ApiMethods = MethodTypes<typeof typedMethods>
