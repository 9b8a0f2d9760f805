// What does a Java suite do with "orch envtest"? Tools that start the programs of KUBEBUILDER_ASSETS need no change. This program needs nothing but
// the JDK, and shows what they do: start kube-apiserver, wait for its health, work as a user, stop it.
//
//     KUBEBUILDER_ASSETS=$(orch envtest) java examples/java/Envtest.java
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

public class Envtest {
  static final int ASK_AGAIN_MS = 100;
  static final int START_MAX_MS = 20_000;
  static final String TOKEN = "a-token-of-this-test";

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("envtest-");
    Path tokens = Files.writeString(folder.resolve("tokens.csv"), TOKEN + ",tester,1,system:masters\n");
    int port = freePort();
    String server = "https://127.0.0.1:" + port;
    Process process =
        new ProcessBuilder(
                Path.of(System.getenv("KUBEBUILDER_ASSETS"), "kube-apiserver").toString(),
                "--bind-address=127.0.0.1",
                "--secure-port=" + port,
                "--cert-dir=" + folder, // the server makes a pair in it
                "--token-auth-file=" + tokens,
                "--authorization-mode=RBAC",
                "--disable-admission-plugins=ServiceAccount",
                "--etcd-servers=http://127.0.0.1:2379",
                "--service-cluster-ip-range=10.0.0.0/24")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    try {
      HttpClient client = waitUntilHealthy(process, server, folder);
      String maps = server + "/api/v1/namespaces/default/configmaps";
      expect(201, call(client, "POST", maps, "{\"metadata\":{\"name\":\"prices\"}}"));
      expect(409, call(client, "POST", maps, "{\"metadata\":{\"name\":\"prices\"}}"));
      expect(200, call(client, "GET", maps + "/prices", ""));
      System.out.println("prices is there");
    } finally {
      process.destroy(); // SIGTERM
      if (!process.waitFor(20, TimeUnit.SECONDS)) process.destroyForcibly();
      System.out.println("stopped with " + process.exitValue());
      try (var files = Files.list(folder)) {
        for (Path file : files.toList()) Files.delete(file);
      }
      Files.delete(folder);
    }
  }

  static HttpClient waitUntilHealthy(Process process, String server, Path folder) throws Exception {
    Path certificate = folder.resolve("apiserver.crt");
    long began = System.currentTimeMillis();
    while (process.isAlive() && System.currentTimeMillis() - began < START_MAX_MS) {
      if (Files.exists(certificate) && Files.size(certificate) > 0) {
        HttpClient client = clientThatTrusts(certificate);
        try {
          if (call(client, "GET", server + "/healthz", "") == 200) return client;
        } catch (java.io.IOException notYet) {
          // it does not listen yet
        }
      }
      Thread.sleep(ASK_AGAIN_MS);
    }
    throw new IllegalStateException(Files.readString(folder.resolve("log")));
  }

  static int call(HttpClient client, String method, String url, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .header("Authorization", "Bearer " + TOKEN)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    return client.send(request, BodyHandlers.discarding()).statusCode();
  }

  static void expect(int status, int actual) {
    if (actual != status) throw new IllegalStateException("answered with " + actual);
  }

  static HttpClient clientThatTrusts(Path certificate) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    int count = 0;
    try (InputStream pem = Files.newInputStream(certificate)) {
      for (var each : CertificateFactory.getInstance("X.509").generateCertificates(pem))
        store.setCertificateEntry("server-" + count++, each);
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return HttpClient.newBuilder().sslContext(context).build();
  }

  static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
