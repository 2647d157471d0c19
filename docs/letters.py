# The Python of README.md, and the same classifier on the raw columns.
import nystream
import pandas
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

train, test = pandas.read_csv("train.csv"), pandas.read_csv("test.csv")
x, y, xt, yt = train.drop(columns="letter"), train.letter, test.drop(columns="letter"), test.letter
model = make_pipeline(nystream.Embedding(n_components=300), LogisticRegression(C=100, max_iter=1000))
print("on features: %.3f" % model.fit(x, y).score(xt, yt))

print("on columns: %.3f" % LogisticRegression(C=100, max_iter=1000).fit(x, y).score(xt, yt))
