/** All pages of the node. */
import { accessPage } from './access/page.js'
import { createManagedPage } from './actFor/create.js'
import { actForPage } from './actFor/page.js'
import { apiPage } from './api/page.js'
import { donePage } from './authorize/done.js'
import { authorizePage } from './authorize/page.js'
import { accountsPage } from './console/accountsPage.js'
import { activityPage } from './console/activity/page.js'
import { chartsPage } from './console/charts/chartsPage.js'
import { chartDataPage } from './console/charts/dataPage.js'
import { editEventPage } from './console/event/editPage.js'
import { eventPage } from './console/event/eventPage.js'
import { newEventPage } from './console/event/newPage.js'
import { filePage } from './console/files/filePage.js'
import { filesPage } from './console/files/filesPage.js'
import { uploadPage } from './console/files/uploadPage.js'
import { livePage } from './console/livePage.js'
import { growthImage } from './console/overview/growthImage.js'
import { accountOfNodePage } from './console/operator/account.js'
import { accountsOfNodePage } from './console/operator/accounts.js'
import { certificatesPage } from './console/operator/certificates.js'
import { invitationsPage } from './console/operator/invitations.js'
import { logPage } from './console/operator/log.js'
import { mailPage } from './console/operator/mail.js'
import { operatorFrontPage } from './console/operator/page.js'
import { overviewPage } from './console/overview/page.js'
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
  accessPage,
  accountOfNodePage,
  accountsOfNodePage,
  accountsPage,
  actForPage,
  activityPage,
  apiPage,
  askResetPage,
  authorizePage,
  certificatesPage,
  chartDataPage,
  chartsPage,
  chooseResetPage,
  createManagedPage,
  deletedPage,
  deletePage,
  donePage,
  emailsPage,
  exportFilePage,
  exportPage,
  editEventPage,
  eventPage,
  filePage,
  filesPage,
  growthImage,
  invitationsPage,
  languagePage,
  livePage,
  logPage,
  mailPage,
  namePage,
  newEventPage,
  oauthConsentPage,
  openPage,
  operatorFrontPage,
  overviewPage,
  passwordPage,
  registerPage,
  secondFactorPage,
  secondFactorSetUpPage,
  sessionsPage,
  settingsPage,
  sharedFilePage,
  sharedLinkPage,
  sharedPage,
  signInPage,
  signOutPage,
  thirdPartyPage,
  uploadPage,
  verifyEmailPage,
  welcomePage,
]
