/** All required variables. Nothing listens at these addresses. */
export const bareEnvironment = {
  LOG_LEVEL: "silent",
  DATABASE_URL: "postgres://127.0.0.1:1/none",
  MASTER_SECRET: "a master secret that is good for tests only",
  MESSAGING_PLATFORM_URL: "http://127.0.0.1:1",
  PLATFORM_APP_SECRET: "app secret",
  PLATFORM_VERIFY_TOKEN: "verify token",
};
