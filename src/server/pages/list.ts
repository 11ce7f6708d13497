/** All pages of the node. */
import { createManagedPage } from './actFor/create.js'
import { actForPage } from './actFor/page.js'
import { apiPage } from './api/page.js'
import { donePage } from './authorize/done.js'
import { authorizePage } from './authorize/page.js'
import { accountsPage } from './console/accountsPage.js'
import { activityPage } from './console/activity/page.js'
import { chartsPage } from './console/charts/chartsPage.js'
import { chartDataPage } from './console/charts/dataPage.js'
import { deleteStreamPage } from './console/data/deleteStreamPage.js'
import { newStreamPage } from './console/data/newStreamPage.js'
import { dataPage } from './console/data/page.js'
import { streamPage } from './console/data/streamPage.js'
import { conflictsPage } from './console/devices/conflictsPage.js'
import { devicePage } from './console/devices/devicePage.js'
import { devicesPage } from './console/devices/listPage.js'
import { pairPage } from './console/devices/pairPage.js'
import { pairingPage } from './console/devices/pairingPage.js'
import { removeDevicePage } from './console/devices/removePage.js'
import { editEventPage } from './console/event/editPage.js'
import { eventPage } from './console/event/eventPage.js'
import { eventFilesPage } from './console/event/filesPage.js'
import { newEventPage } from './console/event/newPage.js'
import { severalPage } from './console/event/severalPage.js'
import { filePage } from './console/files/filePage.js'
import { filesPage } from './console/files/filesPage.js'
import { uploadPage } from './console/files/uploadPage.js'
import { livePage } from './console/livePage.js'
import { accountOfNodePage } from './console/operator/account.js'
import { accountsOfNodePage } from './console/operator/accounts.js'
import { certificatesPage } from './console/operator/certificates.js'
import { invitationsPage } from './console/operator/invitations.js'
import { logPage } from './console/operator/log.js'
import { mailPage } from './console/operator/mail.js'
import { operatorFrontPage } from './console/operator/page.js'
import { growthImage } from './console/overview/growthImage.js'
import { overviewPage } from './console/overview/page.js'
import { answerPage } from './console/people/answerPage.js'
import { changePage } from './console/people/changePage.js'
import { consentPage } from './console/people/consentPage.js'
import { consentsPage } from './console/people/consentsPage.js'
import { delegationsPage } from './console/people/delegationsPage.js'
import { endDelegationPage } from './console/people/endDelegationPage.js'
import { linkPage } from './console/people/linkPage.js'
import { appsPage, linksPage } from './console/people/listPages.js'
import { newLinkPage } from './console/people/newLinkPage.js'
import { onePage } from './console/people/onePage.js'
import { requestsPage } from './console/people/requestsPage.js'
import { withdrawPage } from './console/people/withdrawPage.js'
import { deletedPage, deletePage } from './console/settings/deletePage.js'
import { emailsPage } from './console/settings/emails.js'
import { exportFilePage } from './console/settings/exportFile.js'
import { exportPage } from './console/settings/exportPage.js'
import { languagePage } from './console/settings/language.js'
import { namePage } from './console/settings/name.js'
import { settingsPage } from './console/settings/page.js'
import { passwordPage } from './console/settings/password.js'
import { sessionsPage } from './console/settings/sessions.js'
import { signOutPage } from './console/signOutPage.js'
import { oauthConsentPage } from './oauthConsent/page.js'
import { openPage } from './open/page.js'
import type { Page } from './page.js'
import { registerPage } from './register/page.js'
import { askResetPage } from './resetPassword/ask.js'
import { chooseResetPage } from './resetPassword/choose.js'
import { secondFactorPage } from './secondFactor/page.js'
import { secondFactorSetUpPage } from './secondFactorSetUp/page.js'
import { sharedFilePage } from './sharedLink/filePage.js'
import { sharedLinkPage } from './sharedLink/page.js'
import { sharedPage } from './sharedLink/sharedPage.js'
import { signInPage } from './signIn/page.js'
import { thirdPartyPage } from './thirdParty/page.js'
import { verifyEmailPage } from './verifyEmail/page.js'
import { welcomePage } from './welcome/page.js'

export const pages: readonly Page[] = [
  accountOfNodePage,
  accountsOfNodePage,
  accountsPage,
  actForPage,
  activityPage,
  answerPage,
  apiPage,
  appsPage,
  askResetPage,
  authorizePage,
  certificatesPage,
  changePage,
  chartDataPage,
  chartsPage,
  chooseResetPage,
  conflictsPage,
  consentPage,
  consentsPage,
  createManagedPage,
  dataPage,
  delegationsPage,
  deletePage,
  deleteStreamPage,
  deletedPage,
  devicePage,
  devicesPage,
  donePage,
  editEventPage,
  emailsPage,
  endDelegationPage,
  eventPage,
  eventFilesPage,
  exportFilePage,
  exportPage,
  filePage,
  filesPage,
  growthImage,
  invitationsPage,
  languagePage,
  linkPage,
  linksPage,
  livePage,
  logPage,
  mailPage,
  namePage,
  newEventPage,
  newLinkPage,
  newStreamPage,
  oauthConsentPage,
  onePage,
  openPage,
  operatorFrontPage,
  overviewPage,
  pairPage,
  pairingPage,
  passwordPage,
  registerPage,
  removeDevicePage,
  requestsPage,
  secondFactorPage,
  secondFactorSetUpPage,
  sessionsPage,
  settingsPage,
  severalPage,
  sharedFilePage,
  sharedLinkPage,
  sharedPage,
  signInPage,
  signOutPage,
  streamPage,
  thirdPartyPage,
  uploadPage,
  verifyEmailPage,
  welcomePage,
  withdrawPage,
]
