// How do I give each Java test a server of its own? With the client of fabric8: client.raw("/forks", "POST", null), then
// Config.fromKubeconfig(configuration). This program needs nothing but the JDK:
//
//     orch run --isolated -- java examples/java/Isolated.java
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

public class Isolated {
  static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

  public static void main(String[] arguments) throws Exception {
    // "orch run" writes the file as JSON, which is YAML as well.
    String configuration = Files.readString(Path.of(System.getenv("KUBECONFIG")));
    String forks = System.getenv("ORCH_FORKS");
    HttpClient shared =
        client(
            decoded(member(configuration, "certificate-authority-data")),
            decoded(member(configuration, "client-certificate-data")),
            decoded(member(configuration, "client-key-data")));
    for (String name : List.of("one", "two")) {
      String fork = call(shared, "POST", forks, "", 201);
      HttpClient own =
          client(
              member(fork, "certificateAuthority"),
              member(fork, "clientCertificate"),
              member(fork, "clientKey"));
      String server = member(fork, "server");
      call(own, "POST", server + CONFIG_MAPS, "{\"metadata\":{\"name\":\"" + name + "\"}}", 201);
      String other = name.equals("one") ? "two" : "one";
      call(own, "GET", server + CONFIG_MAPS + "/" + name, "", 200);
      call(own, "GET", server + CONFIG_MAPS + "/" + other, "", 404);
      String forkName = member(fork, "name");
      System.out.println(forkName + " has " + name);
      call(shared, "DELETE", forks + "/" + forkName, "", 200);
    }
  }

  static String call(HttpClient client, String method, String url, String body, int status)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    var answer = client.send(request, BodyHandlers.ofString());
    if (answer.statusCode() != status)
      throw new IllegalStateException(
          method + " " + url + ": " + answer.statusCode() + " " + answer.body());
    return answer.body();
  }

  /** The first text of this name in a JSON document: enough for the answers of this program. */
  static String member(String json, String name) {
    Matcher found = Pattern.compile("\"" + name + "\":\\s*\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
    if (!found.find()) throw new IllegalStateException(name + " is missing");
    return found.group(1).replace("\\n", "\n");
  }

  static String decoded(String base64) {
    return new String(Base64.getDecoder().decode(base64), StandardCharsets.US_ASCII);
  }

  /** Takes PEM texts: an authority, and a certificate with its key. */
  static HttpClient client(String authority, String certificate, String key) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    store.setCertificateEntry("authority", parsed(authority));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    byte[] der = Base64.getMimeDecoder().decode(key.replaceAll("-----[A-Z ]+-----", ""));
    var privateKey = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
    char[] password = new char[0];
    KeyStore own = KeyStore.getInstance(KeyStore.getDefaultType());
    own.load(null, null);
    own.setKeyEntry("user", privateKey, password, new Certificate[] {parsed(certificate)});
    KeyManagerFactory keys =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return HttpClient.newBuilder().sslContext(context).build();
  }

  static Certificate parsed(String pem) throws Exception {
    InputStream bytes = new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII));
    return CertificateFactory.getInstance("X.509").generateCertificate(bytes);
  }
}
